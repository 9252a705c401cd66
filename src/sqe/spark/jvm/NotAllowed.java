package sqe.jvm;

/** The rules forbid it. */
public final class NotAllowed extends WrongArguments {
  NotAllowed(String message) {
    super(message);
  }
}
