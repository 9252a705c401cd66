package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** The same array of rows, whose fields have no names of their own: Spark calls them key and value, or by numbers. */
final class Unnamed extends AbstractFunction1 {
  public Object apply(Object children) {
    Expression array = (Expression) ((Seq) children).head();
    ArrayType type = (ArrayType) array.dataType();
    StructField[] named = ((StructType) type.elementType()).fields();
    StructField[] unnamed = new StructField[named.length];
    for (int i = 0; i < named.length; i++) {
      unnamed[i] = new StructField("field" + i, named[i].dataType(), named[i].nullable(), named[i].metadata());
    }
    return new StaticInvoke(
        Arrays.class, new ArrayType(new StructType(unnamed), type.containsNull()), "same",
        JavaCall.sequence(new Object[] {array}), Nil$.MODULE$, true, true, true, Option.empty());
  }
}
