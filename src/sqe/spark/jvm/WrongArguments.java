package sqe.jvm;

import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.catalyst.trees.Origin;

/** A call of one of our functions with arguments that it does not take. */
public class WrongArguments extends RuntimeException {
  final Integer start;
  final Integer stop;

  WrongArguments(String message) {
    super(message);
    Origin origin = CurrentOrigin.get();
    boolean known = origin.startIndex().isDefined() && origin.stopIndex().isDefined();
    start = known ? (Integer) origin.startIndex().get() : null;
    stop = known ? (Integer) origin.stopIndex().get() : null;
  }
}
