package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `row[2]`: a field by its place; the place is a constant, because the type of the answer hangs on it. */
final class FieldAt extends AbstractFunction1 {
  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    int count = ((StructType) arguments[0].dataType()).fields().length;
    if (!arguments[1].foldable()) {
      throw new WrongArguments("the place of a field of a row must be a constant");
    }
    long place = ((Number) arguments[1].eval(null)).longValue();
    if (place < 1 || place > count) {
      throw new WrongArguments("the row has " + count + " fields, there is no field " + place);
    }
    return new GetStructField(arguments[0], (int) place - 1, Option.empty());
  }
}
