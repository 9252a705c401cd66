package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.Iterator;

/** A call inside of calls inside of calls, which would stand in the plan twice at each level. */
public final class TooDeep extends RuntimeException {
  private static final int MOST_NODES = 10000;
  private static final int DEEPEST = 24;

  private TooDeep() {
    super("the statement is too complex: its calls are nested too deeply");
  }

  /** Refuse an argument that has grown by being doubled; a long list of values is large too, but not deep. */
  static void refuse(Expression argument) {
    int[] seen = new int[2];
    look(argument, 1, seen);
    if (seen[0] >= MOST_NODES && seen[1] > DEEPEST) {
      throw new TooDeep();
    }
  }

  private static void look(Expression node, int depth, int[] seen) {
    seen[0]++;
    seen[1] = Math.max(seen[1], depth);
    for (Iterator below = node.children().iterator(); below.hasNext() && seen[0] < MOST_NODES; ) {
      look((Expression) below.next(), depth + 1, seen);
    }
  }
}
