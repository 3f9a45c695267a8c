package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.SymbolLookup;

/** The driver through the unmodified JCuda jar. */
class JcudaDriverTest extends DriverContract {
  @Override
  Driver bind(SymbolLookup symbols) {
    Driver driver = Presence.bind(symbols);
    assertEquals(JcudaDriver.class, driver.getClass(), "JCuda's native library is found");
    return driver;
  }
}
