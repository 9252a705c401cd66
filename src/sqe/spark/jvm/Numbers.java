package sqe.jvm;

/** Numbers where Spark's casts go another way. */
public final class Numbers {
  private Numbers() {}

  /** Without its fraction; what is no bigint is the nearest one. */
  public static long whole(double value) {
    return (long) value;
  }
}
