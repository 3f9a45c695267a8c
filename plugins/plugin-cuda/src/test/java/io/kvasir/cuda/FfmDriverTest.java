package io.kvasir.cuda;

import java.lang.foreign.SymbolLookup;

/** The driver through java.lang.foreign alone. */
class FfmDriverTest extends DriverContract {
  @Override
  Driver bind(SymbolLookup symbols) {
    return new FfmDriver(symbols);
  }
}
