package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** An aggregate of ours. */
final class JavaAggregate extends AbstractFunction1 {
  private final AggregateFunction function;

  JavaAggregate(AggregateFunction function) {
    this.function = function;
  }

  public Object apply(Object children) {
    return new V2Aggregator(function, (Seq) children, 0, 0);
  }
}
