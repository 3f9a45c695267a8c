package io.kvasir.core.engine;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.Gauges;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.StoreHealth;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** The connector with one flaw of its own; those of its store are a {@link LyingStore}'s. */
final class FlawedConnector implements KvConnector {
  /** How it is broken, and the rule that must notice. */
  enum Flaw {
    NONE(""),
    FLIPS_A_BIT("R-CONN-1"),
    LEAVES_NOTHING_TO_COMPUTE("R-CONN-2"),
    DELIVERS_TWICE("R-CONN-3"),
    SWALLOWS_WHAT_WAS_CANCELLED("R-CONN-4"),
    UPDATES_TO_THE_OLD_WEIGHTS("R-CONN-5"),
    GOES_ON_WITHOUT_A_COMMIT("R-CONN-6"),
    MENDS_THE_CALLERS_MISTAKES("R-CONN-7"),
    OWES_NOTHING_ONCE_CLOSED("R-CONN-8"),
    FLIPS_A_BIT_NOW_AND_THEN("R-CONN-9"),
    ASKS_RANK_0_ALONE("R-CONN-10"),
    ASKS_GROUP_0_ALONE("R-CONN-10"),
    TRUSTS_WHAT_WAS_FOUND("R-CONN-10");

    final String rule;

    Flaw(String rule) {
      this.rule = rule;
    }
  }

  private final KvConnector connector;
  private final Flaw flaw;
  private final Weights first;
  private boolean closed;

  FlawedConnector(KvConnector connector, Flaw flaw) {
    this.connector = connector;
    this.flaw = flaw;
    this.first = connector.namespace().weights();
  }

  @Override
  public KvRequest request(RequestScope scope, int[] tokens, List<ContentItem> items) {
    int[] taken = tokens;
    if (flaw == Flaw.LEAVES_NOTHING_TO_COMPUTE) {
      taken = Arrays.copyOf(tokens, tokens.length + 1);
    } else if (flaw == Flaw.MENDS_THE_CALLERS_MISTAKES) {
      taken = Arrays.stream(tokens).map(Math::abs).toArray();
    }
    return connector.request(scope, taken, items);
  }

  @Override
  public int poll(Consumer<? super Completion> consumer) {
    if (closed && flaw == Flaw.OWES_NOTHING_ONCE_CLOSED) {
      return 0;
    }
    return connector.poll(
        completion -> {
          if (flaw == Flaw.SWALLOWS_WHAT_WAS_CANCELLED
              && completion instanceof Completion.Lookup lookup
              && lookup.match().status() == BlockStatus.CANCELLED) {
            return;
          }
          consumer.accept(completion);
          if (flaw == Flaw.DELIVERS_TWICE) {
            consumer.accept(completion);
          }
        });
  }

  @Override
  public void onWakeup(Runnable wakeup) {
    connector.onWakeup(wakeup);
  }

  @Override
  public WeightUpdate beginWeightUpdate(Deadline deadline) {
    WeightUpdate update = connector.beginWeightUpdate(deadline);
    return new WeightUpdate() {
      private boolean committed;

      @Override
      public void commit(Weights weights) {
        committed = true;
        update.commit(flaw == Flaw.UPDATES_TO_THE_OLD_WEIGHTS ? first : weights);
      }

      @Override
      public void close() {
        if (flaw == Flaw.GOES_ON_WITHOUT_A_COMMIT && !committed) {
          update.commit(first);
        }
        update.close();
      }
    };
  }

  @Override
  public NamespaceManifest namespace() {
    return connector.namespace();
  }

  @Override
  public Gauges gauges() {
    return connector.gauges();
  }

  @Override
  public StoreHealth health() {
    return connector.health();
  }

  @Override
  public void listen(MetricsListener listener) {
    connector.listen(listener);
  }

  @Override
  public void close() {
    closed = true;
    connector.close();
  }
}
