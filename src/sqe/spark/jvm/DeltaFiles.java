package sqe.jvm;

import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;

/** A Delta table as it is or was; it is only read. */
final class DeltaFiles {
  private DeltaFiles() {}

  static LogicalPlan read(SparkSession session, FilePlace place, Map said, Map spark) {
    if (said.containsKey("version")) {
      spark.put("versionAsOf", said.get("version"));
    }
    if (said.containsKey("timestamp")) {
      spark.put("timestampAsOf", said.get("timestamp"));
    }
    String path = place.hadoopPath(place.path).toString();
    return ((Dataset) session.read().format("delta").options(spark).load(path)).queryExecution().analyzed();
  }
}
