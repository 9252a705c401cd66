package sqe.jvm;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * `read('csv', 'path', 'option', 'value', …)` after FROM: files as a table. Here, where the path gets its meaning, the
 * rules about files are applied; there is no other way to one.
 */
final class ReadFiles extends AbstractFunction1 {
  private static final List KINDS = Arrays.asList(new String[] {"parquet", "csv", "json", "orc", "avro", "delta"});

  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    if (arguments.length < 2) {
      throw new WrongArguments("a reader needs a path");
    }
    Map options = new LinkedHashMap();
    for (int i = 2; i + 1 < arguments.length; i += 2) {
      options.put(text(arguments[i]), text(arguments[i + 1]));
    }
    try {
      return read(text(arguments[0]), text(arguments[1]), options);
    } catch (IOException problem) {
      throw new NotReachable("the files cannot be read: " + problem.getMessage());
    }
  }

  private static LogicalPlan read(String kind, String written, Map options) throws IOException {
    SparkSession session = (SparkSession) SparkSession.active();
    FileAccess access = FileAccess.of(session);
    if (!KINDS.contains(kind)) {
      throw new WrongArguments("there is no reader for " + kind);
    }
    String secret = (String) options.remove("secret");
    Map credentials = Secrets.get(secret);
    FilePlace place = FilePlace.of(written, access.folder, credentials);
    access.check(place, credentials);
    Map spark = new HashMap();
    // Patterns are resolved here, once, and under the rules.
    spark.put("__globPaths__", "false");
    spark.put(RemoteFiles.ACCESS, RemoteFiles.allow(access, secret));
    // A session could set these otherwise; what is set for the read wins.
    RemoteFiles.serveAll(spark, access);
    String compression = compression((String) options.remove("compression"), place);
    String ending = (String) options.remove("extension");
    if (ending != null) {
      spark.put("pathGlobFilter", "*" + ending);
    }
    if (kind.equals("delta")) {
      return DeltaFiles.read(session, place, options, spark);
    }
    FileSet files = FileSet.find(place, hadoop(session, spark), ending);
    if (compression != null) {
      spark.put("io.compression.codecs", "sqe.jvm.StreamCodec$Chosen");
      spark.put(StreamCodec.CHOICE, compression);
      spark.put(StreamCodec.CHOICE_ENDING, files.commonEnding());
    }
    if (files.partitionBase() != null) {
      spark.put("basePath", files.partitionBase());
    } else if (!files.isFolder() || !files.hasPartitions()) {
      // Otherwise Spark would not look into folders, and would count files beside one called `a*.csv` twice.
      spark.put("recursiveFileLookup", "true");
    }
    if (kind.equals("csv")) {
      return CsvFiles.read(session, files, hadoop(session, spark), options, spark);
    }
    if (kind.equals("json")) {
      return JsonFiles.read(session, files, hadoop(session, spark), options, spark);
    }
    return load(session, kind, files, spark).queryExecution().analyzed();
  }

  static Dataset load(SparkSession session, String format, FileSet files, Map options) {
    return (Dataset) session.read().format(format).options(options).load(files.paths());
  }

  static Configuration hadoop(SparkSession session, Map options) {
    scala.collection.immutable.Map settings =
        scala.collection.immutable.Map$.MODULE$.from(scala.jdk.javaapi.CollectionConverters.asScala(options));
    return session.sessionState().newHadoopConfWithOptions(settings);
  }

  /** What a name does not tell, because it ends otherwise or is followed by parameters, is told by settings. */
  private static String compression(String chosen, FilePlace place) {
    if (chosen == null && place.isHttp() && place.path.indexOf('?') >= 0) {
      return byEnding(place.path.substring(0, place.path.indexOf('?')));
    }
    return chosen;
  }

  private static String byEnding(String path) {
    String[] endings = {".gz", "gzip", ".bz2", "bz2", ".xz", "xz", ".zst", "zstd", ".zip", "zip"};
    for (int i = 0; i < endings.length; i += 2) {
      if (path.toLowerCase().endsWith(endings[i])) {
        return endings[i + 1];
      }
    }
    return "none";
  }

  private static String text(Expression argument) {
    if (!argument.foldable()) {
      throw new WrongArguments("paths and options of files are plain texts");
    }
    return String.valueOf(argument.eval(null));
  }
}
