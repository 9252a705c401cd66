package sqe.jvm;

/** A catalog that was to be attached does not answer. */
public final class CatalogUnavailable extends RuntimeException {
  CatalogUnavailable(Throwable cause) {
    super("Failed to list namespaces: " + text(cause), cause);
  }

  /** The innermost reason: what is around it speaks of classes. */
  private static String text(Throwable failure) {
    Throwable inner = failure;
    while (inner.getCause() != null && inner.getCause() != inner) {
      inner = inner.getCause();
    }
    return String.valueOf(inner.getMessage());
  }
}
