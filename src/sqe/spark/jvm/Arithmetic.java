package sqe.jvm;

import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Arithmetic that Spark has no expression for, or that fails there where a double has an answer. */
public final class Arithmetic {
  private Arithmetic() {}

  public static double divide(double a, double b) {
    return a / b;
  }

  public static float divide(float a, float b) {
    return a / b;
  }

  public static double mod(double a, double b) {
    return a % b;
  }

  public static float mod(float a, float b) {
    return a % b;
  }

  public static double ceil(double x) {
    return Math.ceil(x);
  }

  public static double floor(double x) {
    return Math.floor(x);
  }

  public static double truncate(double x) {
    return x < 0 ? Math.ceil(x) : Math.floor(x);
  }

  /** Away from zero at the half, by way of the double itself and not of its shortest digits. */
  public static double round(double x, int digits) {
    if (Double.isNaN(x) || Double.isInfinite(x)) {
      return x;
    }
    double factor = Math.pow(10, digits);
    double scaled = Math.abs(x) * factor;
    // Beyond a long every double is whole already.
    if (Double.isInfinite(scaled) || scaled >= 9.0e18) {
      return x;
    }
    double rounded = Math.round(scaled) / factor;
    return x < 0 ? -rounded : rounded;
  }

  public static long round(long x, int digits, long least, long most) {
    if (digits >= 0) {
      return x;
    }
    if (digits < -19) {
      return 0;
    }
    java.math.BigDecimal rounded =
        java.math.BigDecimal.valueOf(x).setScale(digits, java.math.RoundingMode.HALF_UP);
    if (rounded.compareTo(java.math.BigDecimal.valueOf(most)) > 0
        || rounded.compareTo(java.math.BigDecimal.valueOf(least)) < 0) {
      throw new IllegalArgumentException("rounded to " + rounded.toPlainString() + ", the number is out of range");
    }
    return rounded.longValueExact();
  }

  public static Decimal truncate(Decimal x, int digits) {
    java.math.BigDecimal exact = x.toJavaBigDecimal();
    if (digits >= exact.scale()) {
      return x;
    }
    java.math.BigDecimal cut = exact.setScale(digits, java.math.RoundingMode.DOWN);
    return Decimal.apply(cut, x.precision(), x.scale());
  }

  /** Rounded half up to a scale, in one step. */
  public static Decimal divide(Decimal a, Decimal b, int precision, int scale) {
    if (b.toJavaBigDecimal().signum() == 0) {
      throw new BadValue("division by zero\nTRY(…) gives NULL instead");
    }
    java.math.BigDecimal made =
        a.toJavaBigDecimal().divide(b.toJavaBigDecimal(), scale, java.math.RoundingMode.HALF_UP);
    if (made.precision() - made.scale() > precision - scale) {
      throw new BadValue(
          "the quotient " + made + " does not fit decimal(" + precision + "," + scale + ")");
    }
    return Decimal.apply(made, precision, scale);
  }

  public static double sign(double x) {
    return Math.signum(x);
  }

  public static long sign(long x) {
    return Long.signum(x);
  }

  public static double ln(double x) {
    return Math.log(x);
  }

  public static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }

  public static double log10(double x) {
    return Math.log10(x);
  }

  public static double log(double base, double x) {
    return Math.log(x) / Math.log(base);
  }

  public static boolean isNan(double x) {
    return Double.isNaN(x);
  }

  public static boolean isFinite(double x) {
    return !Double.isNaN(x) && !Double.isInfinite(x);
  }

  public static boolean isInfinite(double x) {
    return Double.isInfinite(x);
  }

  /** A number from `low` (with it) to `high` (without it), from one in [0, 1). */
  public static long random(double chance, long low, long high) {
    if (high <= low) {
      throw new IllegalArgumentException(
          low == 0 ? "bound must be positive" : "start value must be less than stop value");
    }
    return low + (long) Math.floor(chance * (high - low));
  }

  public static long fromBase(UTF8String digits, long radix) {
    checkRadix(radix);
    try {
      return Long.parseLong(digits.toString(), (int) radix);
    } catch (NumberFormatException wrong) {
      throw new IllegalArgumentException("not a valid base-" + radix + " number: " + digits);
    }
  }

  public static UTF8String toBase(long value, long radix) {
    checkRadix(radix);
    return UTF8String.fromString(Long.toString(value, (int) radix));
  }

  private static void checkRadix(long radix) {
    if (radix < Character.MIN_RADIX || radix > Character.MAX_RADIX) {
      throw new IllegalArgumentException("the radix must be between 2 and 36, not " + radix);
    }
  }

  public static long bucket(double x, double low, double high, long count) {
    if (count <= 0) {
      throw new IllegalArgumentException("bucketCount must be greater than 0");
    }
    if (Double.isNaN(x) || !isFinite(low) || !isFinite(high)) {
      throw new IllegalArgumentException("operand must not be NaN, and both bounds must be finite");
    }
    if (low == high) {
      throw new IllegalArgumentException("bounds cannot equal each other");
    }
    if (low > high) {
      return count - bucket(x, high, low, count) + 1;
    }
    if (x < low) {
      return 0;
    }
    return x >= high ? count + 1 : (long) (count * (x - low) / (high - low)) + 1;
  }

  public static long bucket(double x, ArrayData bins) {
    int count = bins.numElements();
    if (count == 0) {
      throw new IllegalArgumentException("bins cannot be an empty array");
    }
    if (Double.isNaN(x)) {
      throw new IllegalArgumentException("operand cannot be NaN");
    }
    int low = 0;
    int high = count;
    while (low < high) {
      if (!bins.isNullAt(low) && !bins.isNullAt(high - 1) && bins.getDouble(low) > bins.getDouble(high - 1)) {
        throw new IllegalArgumentException("bin values are not sorted in ascending order");
      }
      int middle = (low + high) / 2;
      if (!bins.isNullAt(middle) && x < bins.getDouble(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
