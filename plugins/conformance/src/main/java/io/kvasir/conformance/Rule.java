package io.kvasir.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The number of the rule that a test of the kit proves; the rules are in {@code docs/spec}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Rule {
  /** {@return the number, such as {@code R-ATOM-1}} */
  String value();
}
