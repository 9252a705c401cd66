package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** An aggregate of ours; without one given, it is that of rows of the type of the first argument. */
final class JavaAggregate extends AbstractFunction1 {
  private final AggregateFunction function;

  JavaAggregate(AggregateFunction function) {
    this.function = function;
  }

  public Object apply(Object children) {
    Seq arguments = (Seq) children;
    AggregateFunction chosen =
        function != null ? function : new RowsBefore(((Expression) arguments.head()).dataType());
    return new V2Aggregator(chosen, arguments, 0, 0);
  }
}
