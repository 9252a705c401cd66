package sqe.jvm;

/** Nothing here can do it. */
public final class NotOffered extends WrongArguments {
  NotOffered(String message) {
    super(message);
  }
}
