package sqe.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CommandExecutionMode$;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;
import scala.runtime.AbstractFunction0;

/** EXPLAIN in its three forms; answers rows. */
final class Explain {
  private Explain() {}

  static List rows(SparkSession session, String sql, String mode) throws Exception {
    if ("analyze".equals(mode)) {
      return analyzed(session, sql);
    }
    LogicalPlan parsed = unexecuted(session.sessionState().sqlParser().parsePlan(sql));
    // Nothing is executed, not even a command.
    QueryExecution execution = session.sessionState().executePlan(parsed, CommandExecutionMode$.MODULE$.SKIP());
    execution.assertAnalyzed();
    if ("full".equals(mode)) {
      return PlanSteps.expected(execution.executedPlan());
    }
    List plans = new ArrayList();
    plans.add(Arrays.asList(new Object[] {"logical_plan", execution.optimizedPlan().toString()}));
    plans.add(Arrays.asList(new Object[] {"physical_plan", execution.executedPlan().toString()}));
    return plans;
  }

  /** A CALL would run while it is analyzed. */
  private static LogicalPlan unexecuted(LogicalPlan parsed) {
    if (!(parsed instanceof Call)) {
      return parsed;
    }
    Call call = (Call) parsed;
    return call.copy(call.procedure(), call.args(), false);
  }

  private static List analyzed(SparkSession session, String sql) {
    final Dataset frame = (Dataset) session.sql(sql);
    final QueryExecution execution = frame.queryExecution();
    SparkPlan plan = execution.executedPlan();
    if (plan instanceof CommandResultExec) {
      return PlanSteps.measured(plan, (long) ((CommandResultExec) plan).rows().size());
    }
    Long count =
        (Long)
            SQLExecution.withNewExecutionId(
                execution,
                Option.apply("sqe"),
                new AbstractFunction0() {
                  public Object apply() {
                    RDD rows = execution.executedPlan().execute();
                    return Long.valueOf(rows.count());
                  }
                });
    return PlanSteps.measured(plan, count.longValue());
  }
}
