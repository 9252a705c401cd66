package sqe.jvm;

/** Floating numbers as integers of the same order, but for NaN, which comes first: one comparison finds the greatest. */
public final class SortableNumbers {
  private SortableNumbers() {}

  public static long of(double number) {
    long bits = Double.doubleToLongBits(number);
    return number != number ? Long.MIN_VALUE : bits < 0 ? Long.MIN_VALUE - bits : bits;
  }

  public static double number(long sortable) {
    if (sortable == Long.MIN_VALUE) {
      return Double.NaN;
    }
    return Double.longBitsToDouble(sortable < 0 ? Long.MIN_VALUE - sortable : sortable);
  }

  public static int of(float number) {
    int bits = Float.floatToIntBits(number);
    return number != number ? Integer.MIN_VALUE : bits < 0 ? Integer.MIN_VALUE - bits : bits;
  }

  public static float number(int sortable) {
    if (sortable == Integer.MIN_VALUE) {
      return Float.NaN;
    }
    return Float.intBitsToFloat(sortable < 0 ? Integer.MIN_VALUE - sortable : sortable);
  }
}
