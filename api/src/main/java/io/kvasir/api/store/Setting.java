package io.kvasir.api.store;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a component of a configuration record means, and its value where the file does not give one.
 * A component without a default must be given.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /** {@return one sentence for the operator} */
  String value();

  /** {@return the default as it would stand in the file; empty for none} */
  String byDefault() default "";
}
