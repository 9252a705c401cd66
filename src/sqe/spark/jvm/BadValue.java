package sqe.jvm;

/** A value that a function cannot work with; it is the user's to mend. */
public final class BadValue extends RuntimeException {
  BadValue(String message) {
    super(message);
  }
}
