package sqe.jvm;

import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.EvalMode$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * A value that is written into a column of a narrower type must not lose a part unseen: 1.7 is no BIGINT. Spark casts
 * it; here such a write is refused, unless the values are constants that fit. A zone and bytes are no parts of a value
 * that could fit.
 */
final class LossyWrites extends AbstractFunction1 {
  public Object apply(Object plan) {
    // A query writes nothing.
    if (plan instanceof Command) {
      check((LogicalPlan) plan);
    }
    return BoxedUnit.UNIT;
  }

  private static void check(LogicalPlan plan) {
    for (Iterator parts = CollectionConverters.asJava(plan.expressions()).iterator(); parts.hasNext(); ) {
      Expression part = (Expression) parts.next();
      check(part, part instanceof NamedExpression ? ((NamedExpression) part).name() : null, plan);
    }
    for (Iterator children = CollectionConverters.asJava(plan.children()).iterator(); children.hasNext(); ) {
      check((LogicalPlan) children.next());
    }
  }

  private static void check(Expression part, String column, LogicalPlan plan) {
    if (part instanceof Cast && part.getTagValue(Cast$.MODULE$.BY_TABLE_INSERTION()).isDefined()) {
      Cast cast = (Cast) part;
      DataType from = cast.child().dataType();
      DataType to = cast.dataType();
      if (loses(from, to) || (mayLose(from, to) && !isExact(cast, plan))) {
        throw refusal(cast, column, plan);
      }
    }
    for (Iterator children = CollectionConverters.asJava(part.children()).iterator(); children.hasNext(); ) {
      check((Expression) children.next(), column, plan);
    }
  }

  /** The zone of a timestamp is lost whatever its value, and bytes that are no text become marks. */
  static boolean loses(DataType from, DataType to) {
    return (from instanceof TimestampType && to instanceof TimestampNTZType)
        || (from instanceof BinaryType && to instanceof StringType);
  }

  static boolean mayLose(DataType from, DataType to) {
    if (from instanceof TimestampType || from instanceof TimestampNTZType) {
      return to instanceof DateType;
    }
    if (to instanceof FloatType) {
      return from instanceof DoubleType;
    }
    boolean approximate = from instanceof DoubleType || from instanceof FloatType;
    if (to instanceof IntegralType) {
      return approximate || (from instanceof DecimalType && ((DecimalType) from).scale() > 0);
    }
    if (to instanceof DecimalType) {
      return approximate || (from instanceof DecimalType && ((DecimalType) from).scale() > ((DecimalType) to).scale());
    }
    return false;
  }

  /** Whether all values are known already and come back as they were. */
  private static boolean isExact(Cast cast, LogicalPlan plan) {
    Object[] traced = trace(cast.child(), plan);
    Expression source = (Expression) traced[0];
    if (source.foldable()) {
      return survives(source.eval(null), cast);
    }
    if (!(source instanceof Attribute) || !(traced[1] instanceof LocalRelation)) {
      return false;
    }
    LocalRelation constants = (LocalRelation) traced[1];
    int ordinal = ordinal((Attribute) source, constants.output());
    Iterator rows = CollectionConverters.asJava(constants.data()).iterator();
    boolean exact = ordinal >= 0;
    while (exact && rows.hasNext()) {
      exact = survives(((InternalRow) rows.next()).get(ordinal, source.dataType()), cast);
    }
    return exact;
  }

  /** What a column is below the projections that only pass it on, and the plan that it comes from. */
  private static Object[] trace(Expression source, LogicalPlan plan) {
    Expression current = source;
    LogicalPlan below = onlyChild(plan);
    while (current instanceof Attribute && (below instanceof Project || below instanceof SubqueryAlias)) {
      if (below instanceof Project) {
        int ordinal = ordinal((Attribute) current, ((Project) below).projectList());
        if (ordinal < 0) {
          break;
        }
        Expression column = (Expression) ((Project) below).projectList().apply(ordinal);
        current = column instanceof Alias ? ((Alias) column).child() : column;
      }
      below = onlyChild(below);
    }
    return new Object[] {current, below};
  }

  private static LogicalPlan onlyChild(LogicalPlan plan) {
    return plan.children().size() == 1 ? (LogicalPlan) plan.children().head() : null;
  }

  private static int ordinal(Attribute column, Seq columns) {
    for (int i = 0; i < columns.size(); i++) {
      if (((NamedExpression) columns.apply(i)).exprId().equals(column.exprId())) {
        return i;
      }
    }
    return -1;
  }

  private static boolean survives(Object value, Cast cast) {
    if (value == null) {
      return true;
    }
    DataType type = cast.child().dataType();
    Expression there = new Cast(new Literal(value, type), cast.dataType(), cast.timeZoneId(), EvalMode$.MODULE$.TRY());
    Object kept = there.eval(null);
    if (kept == null) {
      // Too large for the column, which the write itself says.
      return true;
    }
    Literal stored = new Literal(kept, cast.dataType());
    return value.equals(new Cast(stored, type, cast.timeZoneId(), EvalMode$.MODULE$.TRY()).eval(null));
  }

  private static RuntimeException refusal(Cast cast, String column, LogicalPlan plan) {
    String from = TypeNames.name(cast.child().dataType());
    String to = TypeNames.name(cast.dataType());
    String where = column == null ? "" : " column \"" + column + "\" of";
    Expression source = (Expression) trace(cast.child(), plan)[0];
    Origin before = CurrentOrigin.get();
    // A column of what is inserted stands where the whole statement does.
    if (source instanceof Attribute && column != null) {
      CurrentOrigin.reset();
    } else {
      CurrentOrigin.set(source.origin());
    }
    try {
      boolean bytes = cast.child().dataType() instanceof BinaryType;
      return new WrongArguments(
          "a value of type " + from + " may lose a part in" + where + " type " + to + "\n"
              + (bytes ? "from_utf8(…) and to_hex(…) make text of bytes" : "write CAST(… AS " + to + ") to say that it may"));
    } finally {
      CurrentOrigin.set(before);
    }
  }
}
