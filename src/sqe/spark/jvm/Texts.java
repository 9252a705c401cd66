package sqe.jvm;

import org.apache.spark.unsafe.types.UTF8String;

/** Text functions that Spark has no expression for. */
public final class Texts {
  private Texts() {}

  /** A double as Trino writes it: 1.5E0, -0.0, NaN, Infinity. */
  public static UTF8String ofDouble(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return UTF8String.fromString(String.valueOf(value));
    }
    String text = new java.math.BigDecimal(Double.toString(value)).stripTrailingZeros().unscaledValue().abs().toString();
    if (value == 0) {
      return UTF8String.fromString(1 / value < 0 ? "-0E0" : "0E0");
    }
    java.math.BigDecimal exact = new java.math.BigDecimal(Double.toString(value)).stripTrailingZeros();
    int exponent = exact.precision() - exact.scale() - 1;
    String digits = text.length() == 1 ? text + ".0" : text.substring(0, 1) + "." + text.substring(1);
    return UTF8String.fromString((value < 0 ? "-" : "") + digits + "E" + exponent);
  }
}
