package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.plans.logical.CollectMetrics;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceData;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * An UPDATE that rewrites whole files writes rows that it has not changed, too; here those that it changes are counted
 * on the way. The plan of such an UPDATE is known by its shape: columns are IF(condition, new value, old value).
 */
final class CountUpdates extends Rule {
  public TreeNode apply(TreeNode plan) {
    return plan instanceof ReplaceData ? counted((ReplaceData) plan) : plan;
  }

  private static LogicalPlan counted(ReplaceData replace) {
    LogicalPlan query = replace.query();
    LogicalPlan counting = query instanceof Project ? counted((Project) query, replace.condition()) : query;
    if (counting == query) {
      return replace;
    }
    return new ReplaceData(
        replace.table(), replace.condition(), counting, replace.originalTable(), replace.projections(),
        replace.groupFilterCondition(), replace.write());
  }

  /** The projections with a count below the lowest; the same ones when their shape is another. */
  private static LogicalPlan counted(Project project, Expression condition) {
    LogicalPlan below = project.child();
    if (below instanceof Project) {
      LogicalPlan inner = counted((Project) below, condition);
      return inner == below ? project : new Project(project.projectList(), inner);
    }
    if (!condition.deterministic() || !decides(condition, project)) {
      return project;
    }
    LogicalPlan counting = new CollectMetrics(ChangedRows.UPDATED, sequence(count(condition)), below, 0L);
    return new Project(project.projectList(), counting);
  }

  /** Whether the condition says which rows of the projection get new values. */
  private static boolean decides(Expression condition, Project project) {
    if (condition instanceof Literal) {
      return Boolean.TRUE.equals(((Literal) condition).value());
    }
    for (scala.collection.Iterator columns = project.projectList().iterator(); columns.hasNext(); ) {
      Object column = columns.next();
      Expression value = column instanceof Alias ? ((Alias) column).child() : null;
      if (value instanceof If && ((If) value).predicate().semanticEquals(condition)) {
        return true;
      }
    }
    return false;
  }

  private static Expression count(Expression condition) {
    Expression nothing = new Literal(null, DataTypes.IntegerType);
    Expression one = new If(condition, new Literal(Integer.valueOf(1), DataTypes.IntegerType), nothing);
    Expression count = new Count(sequence(one));
    Expression aggregate =
        new AggregateExpression(
            (org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction) count, Complete$.MODULE$, false,
            Option.empty(), NamedExpression$.MODULE$.newExprId());
    return new Alias(
        aggregate, "n", NamedExpression$.MODULE$.newExprId(), (Seq) scala.collection.immutable.Nil$.MODULE$,
        Option.empty(), (Seq) scala.collection.immutable.Nil$.MODULE$);
  }

  private static Seq sequence(Object item) {
    return JavaCall.sequence(new Object[] {item});
  }
}
