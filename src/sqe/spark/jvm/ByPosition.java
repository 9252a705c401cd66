package sqe.jvm;

import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EvalMode$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Assignment;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable;
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.runtime.AbstractPartialFunction;

/**
 * UPDATE and MERGE take the fields of a row by their places, as INSERT does; Spark goes by their names there. So the
 * value of every assignment is wrapped when it is parsed, which keeps Spark from looking at it; once its type is known,
 * this rule takes the wrap off and gives the fields the names that they have in the column.
 */
final class ByPosition extends Rule {
  public TreeNode apply(TreeNode plan) {
    return ((LogicalPlan) plan).resolveOperators(new OfChanges(new Named()));
  }

  /** A parsed statement, whose assignments wait for this rule. */
  static LogicalPlan wrapped(LogicalPlan parsed) {
    if (parsed instanceof ExplainCommand) {
      ExplainCommand explain = (ExplainCommand) parsed;
      return new ExplainCommand(wrapped(explain.logicalPlan()), explain.mode());
    }
    return (LogicalPlan) parsed.transformUp(new OfChanges(new Wrapped()));
  }

  /** Changes the assignments of the statements that have some. */
  private static final class OfChanges extends AbstractPartialFunction {
    private final AbstractPartialFunction change;

    OfChanges(AbstractPartialFunction change) {
      this.change = change;
    }

    public boolean isDefinedAt(Object plan) {
      return plan instanceof UpdateTable || plan instanceof MergeIntoTable;
    }

    public Object applyOrElse(Object plan, Function1 otherwise) {
      return isDefinedAt(plan) ? ((LogicalPlan) plan).transformExpressions(change) : otherwise.apply(plan);
    }
  }

  private static final class Wrapped extends AbstractPartialFunction {
    public boolean isDefinedAt(Object part) {
      if (!(part instanceof Assignment)) {
        return false;
      }
      Expression value = ((Assignment) part).value();
      // Spark knows the word DEFAULT by its standing alone.
      boolean isDefault =
          value instanceof UnresolvedAttribute && ((UnresolvedAttribute) value).name().equalsIgnoreCase("DEFAULT");
      return !isDefault && !(value instanceof UnresolvedAlias);
    }

    public Object applyOrElse(Object part, Function1 otherwise) {
      if (!isDefinedAt(part)) {
        return otherwise.apply(part);
      }
      Assignment set = (Assignment) part;
      return new Assignment(set.key(), new UnresolvedAlias(set.value(), Option.empty()));
    }
  }

  private static final class Named extends AbstractPartialFunction {
    public boolean isDefinedAt(Object part) {
      if (!(part instanceof Assignment) || !(((Assignment) part).value() instanceof UnresolvedAlias)) {
        return false;
      }
      Assignment set = (Assignment) part;
      return set.key().resolved() && ((UnresolvedAlias) set.value()).child().resolved();
    }

    public Object applyOrElse(Object part, Function1 otherwise) {
      if (!isDefinedAt(part)) {
        return otherwise.apply(part);
      }
      Assignment set = (Assignment) part;
      Expression value = ((UnresolvedAlias) set.value()).child();
      DataType type = named(value.dataType(), set.key().dataType());
      if (type.equals(value.dataType())) {
        return new Assignment(set.key(), value);
      }
      // Whether a part of it can be NULL is known only later; the write looks at it then.
      Expression renamed = new Cast(value, type.asNullable(), Option.empty(), EvalMode$.MODULE$.ANSI());
      return new Assignment(set.key(), renamed);
    }
  }

  /** A type with the names of another one for the fields of its rows. */
  private static DataType named(DataType type, DataType names) {
    if (type instanceof StructType && names instanceof StructType) {
      return new StructType(named(((StructType) type).fields(), ((StructType) names).fields(), names));
    }
    if (type instanceof ArrayType && names instanceof ArrayType) {
      DataType inner = named(((ArrayType) type).elementType(), ((ArrayType) names).elementType());
      return new ArrayType(inner, ((ArrayType) type).containsNull());
    }
    if (type instanceof MapType && names instanceof MapType) {
      MapType map = (MapType) type;
      DataType key = named(map.keyType(), ((MapType) names).keyType());
      return new MapType(key, named(map.valueType(), ((MapType) names).valueType()), map.valueContainsNull());
    }
    return type;
  }

  private static StructField[] named(StructField[] fields, StructField[] others, DataType target) {
    if (fields.length != others.length) {
      throw new WrongArguments(
          "a row of " + fields.length + " fields cannot be stored in one of type " + TypeNames.name(target));
    }
    StructField[] made = new StructField[fields.length];
    for (int i = 0; i < fields.length; i++) {
      DataType inner = named(fields[i].dataType(), others[i].dataType());
      made[i] = new StructField(others[i].name(), inner, fields[i].nullable(), fields[i].metadata());
    }
    return made;
  }
}
