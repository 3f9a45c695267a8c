package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;

/** What the library's return codes mean, from Mooncake's {@code types.h}. */
final class Codes {
  static final int OK = 0;
  static final int INTERNAL_ERROR = -1;
  static final int NO_AVAILABLE_HANDLE = -200;
  static final int INVALID_PARAMS = -600;
  static final int REPLICA_IS_NOT_READY = -703;
  static final int OBJECT_NOT_FOUND = -704;
  static final int LEASE_EXPIRED = -707;
  static final int TRANSFER_FAIL = -800;
  static final int RPC_FAIL = -900;
  static final int RPC_TIMEOUT = -901;
  static final int TENANT_QUOTA_EXCEEDED = -1700;
  static final int TENANT_NOT_REGISTERED = -1701;

  private Codes() {}

  /**
   * {@return whether a read found nothing that can be used: absent, not ready, its lease over while
   * it was read, or its owner gone}
   */
  static boolean isMiss(long code) {
    return code == OBJECT_NOT_FOUND
        || code == REPLICA_IS_NOT_READY
        || code == LEASE_EXPIRED
        || code == TRANSFER_FAIL;
  }

  /** {@return whether a put found no room that could come free soon} */
  static boolean isPressure(long code) {
    return code == NO_AVAILABLE_HANDLE;
  }

  /** {@return whether a put is over what the cluster grants} */
  static boolean isQuota(long code) {
    return code == TENANT_QUOTA_EXCEEDED || code == TENANT_NOT_REGISTERED;
  }

  /** {@return whether the master did not answer} */
  static boolean isOutage(long code) {
    return code == RPC_FAIL || code == RPC_TIMEOUT;
  }

  /** {@return whether the master answered none of the items} */
  static boolean isOutage(long[] codes) {
    for (long code : codes) {
      if (!isOutage(code)) {
        return false;
      }
    }
    return codes.length > 0;
  }

  /** {@return the failure that a code is} */
  static StoreException failure(String what, long code) {
    if (isOutage(code)) {
      return new StoreException(
          Kind.UNAVAILABLE, what + ": the Mooncake master did not answer: " + name(code));
    }
    if (isPressure(code) || isQuota(code)) {
      return new StoreException(Kind.CAPACITY, what + ": no room in the cluster: " + name(code));
    }
    return new StoreException(Kind.IO, what + ": Mooncake returned " + name(code));
  }

  /** {@return the code with its name} */
  static String name(long code) {
    String name =
        switch ((int) code) {
          case INTERNAL_ERROR -> "INTERNAL_ERROR";
          case -300 -> "INVALID_VERSION: client and master must be of one version";
          case NO_AVAILABLE_HANDLE -> "NO_AVAILABLE_HANDLE";
          case -400 -> "INVALID_KEY";
          case -500 -> "WRITE_FAIL";
          case INVALID_PARAMS -> "INVALID_PARAMS";
          case REPLICA_IS_NOT_READY -> "REPLICA_IS_NOT_READY";
          case OBJECT_NOT_FOUND -> "OBJECT_NOT_FOUND";
          case -706 -> "OBJECT_HAS_LEASE";
          case LEASE_EXPIRED -> "LEASE_EXPIRED";
          case TRANSFER_FAIL -> "TRANSFER_FAIL";
          case -801 -> "CHECKSUM_MISMATCH";
          case RPC_FAIL -> "RPC_FAIL";
          case RPC_TIMEOUT -> "RPC_TIMEOUT";
          case TENANT_QUOTA_EXCEEDED -> "TENANT_QUOTA_EXCEEDED";
          case TENANT_NOT_REGISTERED ->
              "TENANT_NOT_REGISTERED: the master keeps tenants and knows none \"default\"";
          default -> "see ErrorCode in Mooncake's types.h";
        };
    return code + " (" + name + ")";
  }
}
