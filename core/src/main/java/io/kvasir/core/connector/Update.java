package io.kvasir.core.connector;

import io.kvasir.api.KvasirException;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.Weights;

/** An update in progress; the work is the connector's. */
final class Update implements WeightUpdate {
  private final Epochs epochs;
  private boolean over;

  Update(Epochs epochs) {
    this.epochs = epochs;
  }

  @Override
  public synchronized void commit(Weights weights) {
    if (over) {
      throw new KvasirException("the weight update is over; begin another");
    }
    epochs.commit(weights);
    over = true;
  }

  @Override
  public synchronized void close() {
    if (!over) {
      over = true;
      epochs.giveUp();
    }
  }
}
