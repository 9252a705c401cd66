package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CurrentTime;
import org.apache.spark.sql.catalyst.expressions.CurrentTimestampLike;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.LocalTimestamp;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.StringType;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * How many digits of a second a time has in Trino. Spark's times have six always, but within one expression, as in
 * `to_iso8601(from_unixtime(0))`, what made the time tells; a question mark stands where nothing does.
 */
final class Digits extends AbstractFunction1 {
  private static final int UNKNOWN = -1;
  private static final int MILLIS = 3;
  private static final int MOST = 6;

  public Object apply(Object children) {
    int digits = of((Expression) ((Seq) children).head());
    return Literal$.MODULE$.apply(digits == UNKNOWN ? "?" : String.valueOf(digits));
  }

  private static int of(Expression time) {
    if (time instanceof CurrentTimestampLike || time instanceof LocalTimestamp || time instanceof CurrentTime) {
      return MILLIS;
    }
    if (time instanceof Cast) {
      Expression before = ((Cast) time).child();
      return before.dataType().equals(time.dataType()) ? of(before) : ofText(before);
    }
    return time instanceof StaticInvoke ? ofCall((StaticInvoke) time) : UNKNOWN;
  }

  private static int ofCall(StaticInvoke call) {
    Class owner = call.staticObject();
    String method = call.functionName();
    if (owner == Zones.class && (method.equals("at") || method.equals("wall"))) {
      return of((Expression) call.arguments().head());
    }
    if (owner == Moments.class && (method.equals("timestamp") || method.equals("time"))) {
      return ((Integer) ((Expression) call.arguments().apply(1)).eval(null)).intValue();
    }
    if (owner == DateMath.class && (method.equals("add") || method.equals("trunc"))) {
      return of((Expression) call.arguments().apply(method.equals("add") ? 2 : 1));
    }
    boolean parsed = (owner == JodaPatterns.class || owner == MySqlPatterns.class) && method.equals("parse");
    boolean iso = owner == IsoTimes.class && (method.equals("fromUnix") || method.equals("timestamp"));
    return parsed || iso ? MILLIS : UNKNOWN;
  }

  /** Of a literal: as many as it shows. */
  private static int ofText(Expression written) {
    if (!(written instanceof Literal) || !(written.dataType() instanceof StringType)) {
      return UNKNOWN;
    }
    String text = String.valueOf(((Literal) written).value());
    int point = text.indexOf('.');
    int end = point + 1;
    while (point >= 0 && end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return point < 0 ? 0 : Math.min(MOST, end - point - 1);
  }
}
