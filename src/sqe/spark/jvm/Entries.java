package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * An array of rows of keys and values becomes a map: `first` or `last` of the values of a key, all of them `grouped`,
 * or only `counted`, of which the most `frequent` may be enough.
 */
final class Entries extends AbstractFunction1 {
  private final String task;

  Entries(String task) {
    this.task = task;
  }

  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    StructType entry = (StructType) ((ArrayType) arguments[0].dataType()).elementType();
    DataType key = entry.fields()[0].dataType();
    boolean counts = task.equals("counted") || task.equals("frequent");
    DataType value = counts ? DataTypes.LongType : entry.fields()[1].dataType();
    DataType made = task.equals("grouped") ? new ArrayType(value, true) : value;
    Expression shape = Literal$.MODULE$.fromObject(entry, new ObjectType(StructType.class));
    Object[] inputs =
        arguments.length == 1
            ? new Object[] {arguments[0], shape}
            : new Object[] {arguments[0], shape, arguments[1]};
    return new StaticInvoke(
        Maps.class, new MapType(key, made, true), task, JavaCall.sequence(inputs), Nil$.MODULE$, true, true, true,
        Option.empty());
  }
}
