package sqe.jvm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.ExperimentalMethods;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.collection.immutable.Seq;

/**
 * A Delta table as it is or was; it is only read. Delta wants to be part of every session from its start. Here it comes
 * with the first statement that needs it, so what it would do by rules of its own at analysis is done right away, and
 * what it must do later (skip files, leave out deleted rows) is added to the session.
 */
final class DeltaFiles {
  private static final String PACKAGE = "org.apache.spark.sql.delta.";

  private DeltaFiles() {}

  static LogicalPlan read(SparkSession session, FilePlace place, Map said, Map spark) {
    if (said.containsKey("version")) {
      spark.put("versionAsOf", said.get("version"));
    }
    if (said.containsKey("timestamp")) {
      spark.put("timestampAsOf", said.get("timestamp"));
    }
    try {
      prepare(session);
      session.conf().set("spark.databricks.delta.requiredSparkConfsCheck.enabled", "false");
      // Delta's log is read by Spark, in 50 tasks unless told otherwise.
      String tasks = String.valueOf(session.sparkContext().defaultParallelism());
      session.conf().set("spark.databricks.delta.snapshotPartitions", tasks);
      String path = place.hadoopPath(place.path).toString();
      Dataset frame = (Dataset) session.read().format("delta").options(spark).load(path);
      return ofFiles(frame.queryExecution().analyzed());
    } catch (ReflectiveOperationException missing) {
      throw new NotReachable("the jars for Delta are not there, or of a version that cannot be used");
    }
  }

  private static LogicalPlan ofFiles(LogicalPlan plan) throws ReflectiveOperationException {
    if (!(plan instanceof DataSourceV2Relation)) {
      return plan;
    }
    DataSourceV2Relation relation = (DataSourceV2Relation) plan;
    Class module = Class.forName(PACKAGE + "DeltaRelation$");
    Class table = Class.forName(PACKAGE + "catalog.DeltaTableV2");
    Class[] kinds = {table, DataSourceV2Relation.class, CaseInsensitiveStringMap.class};
    Object[] facts = {relation.table(), relation, relation.options()};
    Object here = module.getField("MODULE$").get(null);
    return (LogicalPlan) module.getMethod("fromV2Relation", kinds).invoke(here, facts);
  }

  private static void prepare(SparkSession session) throws ReflectiveOperationException {
    ExperimentalMethods methods = session.experimental();
    synchronized (methods) {
      methods.extraOptimizations_$eq(with(methods.extraOptimizations(), PACKAGE + "stats.PrepareDeltaScan", session));
      methods.extraStrategies_$eq(with(methods.extraStrategies(), PACKAGE + "PreprocessTableWithDVsStrategy", session));
    }
  }

  private static Seq with(Seq present, String name, SparkSession session) throws ReflectiveOperationException {
    List all = new ArrayList();
    for (scala.collection.Iterator others = present.iterator(); others.hasNext(); ) {
      all.add(others.next());
    }
    for (Iterator others = all.iterator(); others.hasNext(); ) {
      if (others.next().getClass().getName().equals(name)) {
        return present;
      }
    }
    Class[] kinds = {org.apache.spark.sql.SparkSession.class};
    all.add(Class.forName(name).getConstructor(kinds).newInstance(new Object[] {session}));
    return (Seq) scala.jdk.javaapi.CollectionConverters.asScala(all).toSeq();
  }
}
