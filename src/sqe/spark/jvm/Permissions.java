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
  /** Plans are made by the procedure that the statement calls, not by its text. */
  private boolean calling;

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

  static void calls() {
    Permissions current = (Permissions) CURRENT.get();
    if (current != null) {
      current.calling = true;
    }
  }

  /** Whether the plans of this thread are what a statement says. */
  static boolean areOfStatement() {
    Permissions current = (Permissions) CURRENT.get();
    return current != null && !current.calling;
  }
}
