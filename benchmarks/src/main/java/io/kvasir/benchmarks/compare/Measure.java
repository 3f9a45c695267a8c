package io.kvasir.benchmarks.compare;

/** What rounds measure. */
enum Measure {
  RAW_WRITE("raw write"),
  PUT_ACKNOWLEDGED("put, acknowledged"),
  PUT_DURABLE("put, durable"),
  RAW_READ("raw read"),
  GET_COLD("get, cold"),
  GET_WARM("get, warm");

  private final String text;

  Measure(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
