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
 * on the way. The plan of such an UPDATE is known by its shape: every column is IF(condition, new value, old value).
 */
final class CountUpdates extends Rule {
  public TreeNode apply(TreeNode plan) {
    return plan instanceof ReplaceData ? counted((ReplaceData) plan) : plan;
  }

  private static LogicalPlan counted(ReplaceData replace) {
    Expression condition = replace.query() instanceof Project ? condition((Project) replace.query()) : null;
    if (condition == null) {
      return replace;
    }
    Project project = (Project) replace.query();
    LogicalPlan counting =
        new CollectMetrics(ChangedRows.UPDATED, sequence(count(condition)), project.child(), 0L);
    return new ReplaceData(
        replace.table(), replace.condition(), new Project(project.projectList(), counting), replace.originalTable(),
        replace.projections(), replace.groupFilterCondition(), replace.write());
  }

  /** The condition that all changed columns share; null when the plan has another shape. */
  private static Expression condition(Project project) {
    Expression found = null;
    for (scala.collection.Iterator columns = project.projectList().iterator(); columns.hasNext(); ) {
      Object column = columns.next();
      Expression value = column instanceof Alias ? ((Alias) column).child() : null;
      if (value instanceof If) {
        Expression condition = ((If) value).predicate();
        if (found != null && !found.semanticEquals(condition)) {
          return null;
        }
        found = condition;
      }
    }
    return found != null && found.deterministic() ? found : null;
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
