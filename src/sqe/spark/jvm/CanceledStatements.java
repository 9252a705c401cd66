package sqe.jvm;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * Ends the jobs that a canceled statement starts after its cancel. Spark's cancel of a job group reaches only the jobs
 * that are already there, and its own list of canceled groups leaves out the map stages of adaptive execution: a job
 * submitted a moment too late would hold its slots for good.
 */
final class CanceledStatements extends SparkListener {
  /** Long after so many more cancels no thread can still be about to submit a job of the first one. */
  private static final int REMEMBERED = 10000;

  private final SparkContext context;
  private final Set ids = Collections.newSetFromMap(Collections.synchronizedMap(new Recent()));

  private CanceledStatements(SparkContext context) {
    this.context = context;
  }

  static CanceledStatements watch(SparkContext context) {
    CanceledStatements canceled = new CanceledStatements(context);
    context.addSparkListener(canceled);
    return canceled;
  }

  void cancel(String id) {
    // Remembered first: a job is then either active when its group is canceled, or seen when it starts.
    ids.add(id);
    context.cancelJobGroup(id);
  }

  public void onJobStart(SparkListenerJobStart start) {
    Properties properties = start.properties();
    String group = properties == null ? null : properties.getProperty("spark.jobGroup.id");
    if (group != null && ids.contains(group)) {
      context.cancelJob(start.jobId());
    }
  }

  private static final class Recent extends LinkedHashMap {
    protected boolean removeEldestEntry(Map.Entry eldest) {
      return size() > REMEMBERED;
    }
  }
}
