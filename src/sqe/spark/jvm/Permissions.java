package sqe.jvm;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * What the statement that this thread works on may do beyond the rules for everybody. A thread without a statement has
 * no permissions.
 */
final class Permissions {
  private static final ThreadLocal CURRENT = new ThreadLocal();

  private final Set procedures;

  private Permissions(Collection procedures) {
    this.procedures = new HashSet(procedures);
  }

  static void enter(Collection procedures) {
    CURRENT.set(new Permissions(procedures));
  }

  static void leave() {
    CURRENT.remove();
  }

  static boolean has(String procedure) {
    Permissions current = (Permissions) CURRENT.get();
    return current != null && current.procedures.contains(procedure);
  }
}
