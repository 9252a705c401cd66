package sqe.jvm;

/** A file or a host is not to be had. */
public final class NotReachable extends WrongArguments {
  NotReachable(String message) {
    super(message);
  }
}
