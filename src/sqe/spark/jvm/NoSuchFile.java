package sqe.jvm;

/** No file is where one should be. */
public final class NoSuchFile extends WrongArguments {
  NoSuchFile(String message) {
    super(message);
  }
}
