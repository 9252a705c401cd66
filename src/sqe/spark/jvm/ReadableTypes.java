package sqe.jvm;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Columns of types that Arrow has but its clients cannot read leave as text. */
final class ReadableTypes {
  private ReadableTypes() {}

  static Dataset readable(Dataset frame, SparkSession session) {
    LogicalPlan plan = frame.queryExecution().analyzed();
    boolean changed = false;
    List columns = new ArrayList();
    for (int i = 0; i < plan.output().size(); i++) {
      Attribute column = (Attribute) plan.output().apply(i);
      if (isReadable(column.dataType())) {
        columns.add(column);
      } else {
        changed = true;
        columns.add(asText(column, session));
      }
    }
    return changed
        ? Dataset.ofRows(session, new Project(CollectionConverters.asScala(columns).toSeq(), plan))
        : frame;
  }

  private static NamedExpression asText(Attribute column, SparkSession session) {
    Option zone = Option.apply(session.sessionState().conf().sessionLocalTimeZone());
    Cast cast = new Cast(column, StringType$.MODULE$, zone, Cast$.MODULE$.apply$default$4());
    return new Alias(
        cast,
        column.name(),
        NamedExpression.newExprId(),
        CollectionConverters.asScala(new ArrayList()).toSeq(),
        Option.apply(TypeNotes.note(column.dataType())),
        CollectionConverters.asScala(new ArrayList()).toSeq());
  }

  private static boolean isReadable(DataType type) {
    if (type instanceof ArrayType) {
      return isReadable(((ArrayType) type).elementType());
    }
    if (type instanceof MapType) {
      return isReadable(((MapType) type).keyType()) && isReadable(((MapType) type).valueType());
    }
    if (type instanceof StructType) {
      for (int i = 0; i < ((StructType) type).fields().length; i++) {
        if (!isReadable(((StructType) type).fields()[i].dataType())) {
          return false;
        }
      }
    }
    return !(type instanceof YearMonthIntervalType
        || type instanceof CalendarIntervalType
        || type instanceof VariantType);
  }
}
