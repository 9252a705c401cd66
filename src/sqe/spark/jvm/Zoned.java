package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.CurrentTimeZone;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * Looks for `Zones.at` around an argument. Spark does not keep a zone with a value, but within one expression, as in
 * `hour(x AT TIME ZONE 'Asia/Tokyo')`, it is still there to see; elsewhere the zone of the session counts.
 */
final class Zoned extends AbstractFunction1 {
  private final String task;

  Zoned(String task) {
    this.task = task;
  }

  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    Expression zone = zoneOf(arguments[arguments.length - 1]);
    if (task.equals("zone")) {
      return zone == null ? new CurrentTimeZone() : zone;
    }
    if (task.equals("like")) {
      return zone == null ? arguments[0] : call("at", arguments[0].dataType(), arguments[0], zone);
    }
    if (zone != null) {
      return call("wall", DataTypes.TimestampNTZType, arguments[0], zone);
    }
    // Of a value without a zone, `local` makes nothing, and `wall` reads the clock of the session.
    return task.equals("local")
        ? arguments[0]
        : TypedFunction.filled("CAST($1 AS TIMESTAMP_NTZ)", arguments);
  }

  private static Expression zoneOf(Expression argument) {
    if (!(argument instanceof StaticInvoke)) {
      return null;
    }
    StaticInvoke call = (StaticInvoke) argument;
    boolean zoned = call.staticObject() == Zones.class && call.functionName().equals("at");
    return zoned ? (Expression) call.arguments().apply(1) : null;
  }

  private static Expression call(String method, DataType type, Expression first, Expression second) {
    Seq arguments = JavaCall.sequence(new Object[] {first, second});
    return new StaticInvoke(
        Zones.class, type, method, arguments, Nil$.MODULE$, true, true, true, Option.empty());
  }
}
