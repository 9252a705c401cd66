package sqe.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.window.WindowExec;
import org.apache.spark.util.AccumulatorV2;
import scala.Option;
import scala.collection.Iterator;

/** The operators of a physical plan from the leaves to the root, each with what was measured or is expected of it. */
final class PlanSteps {
  private static final long NANOS_PER_MILLI = 1000000L;

  private final List rows = new ArrayList();
  /** For each row the stage in which it was counted, 0 for a count that an exchange made. */
  private final List stages = new ArrayList();
  private int lastStage;
  private final boolean measured;

  private PlanSteps(boolean measured) {
    this.measured = measured;
  }

  /** Rows of step, operation, output rows and milliseconds of a plan that has run and gave so many rows. */
  static List measured(SparkPlan plan, long resultRows) {
    PlanSteps steps = new PlanSteps(true);
    SparkPlan root = unwrapped(plan, true);
    Object counted = steps.visit(root, null, ++steps.lastStage);
    if (counted == null && !steps.rows.isEmpty()) {
      List last = (List) steps.rows.get(steps.rows.size() - 1);
      last.set(2, Long.valueOf(resultRows));
    }
    return steps.rows;
  }

  /** Rows of step, operation, expected rows and bytes, files to read and files of the table. */
  static List expected(SparkPlan plan) {
    PlanSteps steps = new PlanSteps(false);
    steps.visit(unwrapped(plan, false), null, 0);
    return steps.rows;
  }

  /** Adds the operators below a plan and the plan itself; answers how many rows it gave, if that is known. */
  private Long visit(SparkPlan plan, Long pipelineMillis, int stage) {
    if (plan instanceof WholeStageCodegenExec) {
      return visit(unwrapped((SparkPlan) ((WholeStageCodegenExec) plan).child(), measured), millis(plan), stage);
    }
    for (Iterator subqueries = plan.subqueries().iterator(); subqueries.hasNext(); ) {
      visit(unwrapped((SparkPlan) subqueries.next(), measured), null, ++lastStage);
    }
    int below = plan instanceof Exchange ? ++lastStage : stage;
    int counter = stage;
    long sum = 0L;
    boolean known = true;
    for (Iterator children = plan.children().iterator(); children.hasNext(); ) {
      Long count = visit(unwrapped((SparkPlan) children.next(), measured), null, below);
      counter = measured ? ((Integer) stages.get(stages.size() - 1)).intValue() : 0;
      known = known && count != null;
      sum += count == null ? 0L : count.longValue();
    }
    Long counted = counted(plan);
    if (counted != null && plan instanceof Exchange) {
      if (known && counter == below) {
        correct(below, sum, counted.longValue());
      }
      counter = 0;
    } else if (counted != null) {
      counter = stage;
    }
    if (counted == null && known && keepsRows(plan)) {
      counted = Long.valueOf(sum);
    }
    if (measured) {
      Long own = millis(plan);
      stages.add(Integer.valueOf(counter));
      add(new Object[] {step(), operation(plan), counted, own == null ? pipelineMillis : own});
    } else {
      addExpected(plan);
    }
    return counted;
  }

  /**
   * To sort, Spark runs what is below once more to learn how to divide the rows, and counts it again. What was written
   * to the exchange is right.
   */
  private void correct(int stage, long counted, long written) {
    long times = written == 0L ? 1L : counted / written;
    for (int i = 0; times > 1L && i < rows.size(); i++) {
      List row = (List) rows.get(i);
      if (((Integer) stages.get(i)).intValue() == stage && row.get(2) != null) {
        row.set(2, Long.valueOf(((Long) row.get(2)).longValue() / times));
      }
    }
  }

  private void addExpected(SparkPlan plan) {
    Option logical = plan.logicalLink();
    Statistics statistics = logical.isDefined() ? ((LogicalPlan) logical.get()).stats() : null;
    Long count = null;
    Long bytes = null;
    if (statistics != null) {
      count = statistics.rowCount().isDefined() ? whole(statistics.rowCount().get()) : null;
      bytes = whole(statistics.sizeInBytes());
    }
    if (plan instanceof BatchScanExec) {
      ScanFiles files = ScanFiles.of(((BatchScanExec) plan).scan());
      if (files != null) {
        add(new Object[] {step(), operation(plan), count, files.bytes, files.files, files.total});
        return;
      }
    }
    add(new Object[] {step(), operation(plan), count, bytes, null, null});
  }

  private void add(Object[] row) {
    rows.add(Arrays.asList(row));
  }

  private Integer step() {
    return Integer.valueOf(rows.size() + 1);
  }

  private static Long whole(Object number) {
    scala.math.BigInt value = (scala.math.BigInt) number;
    return value.isValidLong() ? Long.valueOf(value.toLong()) : null;
  }

  private static String operation(SparkPlan plan) {
    return plan.nodeName().trim();
  }

  /** The plan inside those that only wrap one. */
  private static SparkPlan unwrapped(SparkPlan plan, boolean measured) {
    SparkPlan inner = plan;
    while (true) {
      if (inner instanceof AdaptiveSparkPlanExec) {
        AdaptiveSparkPlanExec adaptive = (AdaptiveSparkPlanExec) inner;
        inner = measured ? adaptive.executedPlan() : adaptive.initialPlan();
      } else if (inner instanceof QueryStageExec) {
        inner = ((QueryStageExec) inner).plan();
      } else if (inner instanceof CommandResultExec) {
        inner = ((CommandResultExec) inner).commandPhysicalPlan();
      } else if (inner instanceof InputAdapter) {
        inner = (SparkPlan) ((InputAdapter) inner).child();
      } else {
        return inner;
      }
    }
  }

  private static boolean keepsRows(SparkPlan plan) {
    return plan instanceof ProjectExec
        || plan instanceof SortExec
        || plan instanceof Exchange
        || plan instanceof UnionExec
        || plan instanceof WindowExec
        || plan instanceof AQEShuffleReadExec;
  }

  private static Long counted(SparkPlan plan) {
    Option metric = plan.metrics().get(plan instanceof Exchange ? "shuffleRecordsWritten" : "numOutputRows");
    return metric.isDefined() ? Long.valueOf(value((SQLMetric) metric.get())) : null;
  }

  private static long value(SQLMetric metric) {
    return ((Number) ((AccumulatorV2) metric).value()).longValue();
  }

  /** The time that an operator measures of itself, over all its tasks. */
  private static Long millis(SparkPlan plan) {
    long nanos = 0L;
    boolean any = false;
    for (Iterator metrics = plan.metrics().valuesIterator(); metrics.hasNext(); ) {
      SQLMetric metric = (SQLMetric) metrics.next();
      boolean timing = "timing".equals(metric.metricType());
      if ((timing || "nsTiming".equals(metric.metricType())) && value(metric) > 0L) {
        any = true;
        nanos += timing ? value(metric) * NANOS_PER_MILLI : value(metric);
      }
    }
    return any ? Long.valueOf(nanos / NANOS_PER_MILLI) : null;
  }
}
