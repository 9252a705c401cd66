package sqe.jvm;

/** Shifts by any distance, within the width of the type, and counts of bits. */
public final class Bits {
  private Bits() {}

  public static long shiftLeft(long value, long distance, int width) {
    return distance < 0 || distance >= width ? 0 : narrowed(value << distance, width);
  }

  public static long shiftRight(long value, long distance, int width) {
    if (distance < 0 || distance >= width) {
      return 0;
    }
    long mask = width == 64 ? -1L : (1L << width) - 1;
    return narrowed((value & mask) >>> distance, width);
  }

  public static long shiftRightSigned(long value, long distance, int width) {
    return distance < 0 || distance >= width ? (value < 0 ? -1 : 0) : value >> distance;
  }

  private static long narrowed(long value, int width) {
    int spare = 64 - width;
    return value << spare >> spare;
  }

  public static long count(long value, long width) {
    if (width < 2 || width > 64) {
      throw new IllegalArgumentException("bits must be between 2 and 64, not " + width);
    }
    if (width == 64) {
      return Long.bitCount(value);
    }
    long low = -(1L << (width - 1));
    if (value < low || value >= -low) {
      throw new IllegalArgumentException(value + " does not fit " + width + " bits");
    }
    return Long.bitCount(value & ((1L << width) - 1));
  }
}
