package sqe.jvm;

import java.util.Arrays;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.analysis.UnresolvedProcedure;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;

/**
 * Where remove_orphan_files may look: whatever lies there and is not the table's is deleted, so a folder outside of the
 * table's own would lose everything. That holds for everybody.
 */
final class OrphanPlaces {
  static final String PROCEDURE = "remove_orphan_files";

  private OrphanPlaces() {}

  static void check(Call call, Map arguments) {
    if (CallGuard.isGiven(arguments.get("file_list_view"))) {
      throw PlanGuard.refusal(
          PROCEDURE + " with file_list_view is not offered\nit looks into the table's own folder", call);
    }
    if (!CallGuard.isGiven(arguments.get("location"))) {
      return;
    }
    String asked = text(arguments.get("location"), "location", call);
    String table = text(arguments.get("table"), "table", call);
    String own = locationOf((String) ((UnresolvedProcedure) call.procedure()).nameParts().head(), table, call);
    if (!isWithin(asked, own)) {
      throw PlanGuard.refusal(
          "the location is not within the table's own folder\nleave it out to look at all of it", call);
    }
  }

  /** As Hadoop reads both, which lists and deletes the files; `//a/b` is the path /b of a host a to it. */
  static boolean isWithin(String asked, String own) {
    Path inner;
    Path outer;
    try {
      inner = new Path(asked);
      outer = new Path(own);
    } catch (IllegalArgumentException wrong) {
      return false;
    }
    String path = inner.toUri().getPath();
    String base = outer.toUri().getPath();
    String[] parts = path.split("/", -1);
    if (Arrays.asList(parts).contains("..") || Arrays.asList(parts).contains(".")) {
      return false;
    }
    boolean below = path.equals(base) || path.startsWith(base.endsWith("/") ? base : base + "/");
    return below
        && base.startsWith("/")
        && or(inner.toUri().getScheme(), "file").equalsIgnoreCase(or(outer.toUri().getScheme(), "file"))
        && or(inner.toUri().getAuthority(), "").equals(or(outer.toUri().getAuthority(), ""));
  }

  private static String or(String value, String otherwise) {
    return value == null ? otherwise : value;
  }

  /** Only a plain text is known before the call runs. */
  private static String text(Object argument, String name, Call call) {
    Expression value = argument == null ? null : CallGuard.valueOf((Expression) argument);
    Object found = value instanceof Literal ? ((Literal) value).value() : null;
    if (found == null) {
      throw PlanGuard.refusal("the argument " + name + " of " + PROCEDURE + " must be a text", call);
    }
    return found.toString();
  }

  private static String locationOf(String catalog, String table, Call call) {
    SparkSession session = (SparkSession) SparkSession.active();
    CatalogPlugin plugin = SessionCatalogs.plugin(session, catalog);
    Table found;
    try {
      Spark3Util.CatalogAndIdentifier name =
          Spark3Util.catalogAndIdentifier("the table", session, table, plugin);
      found = ((TableCatalog) name.catalog()).loadTable(name.identifier());
    } catch (Exception missing) {
      throw PlanGuard.refusal("there is no table " + table + " whose files could be looked at", call);
    }
    if (!(found instanceof SparkTable)) {
      throw PlanGuard.refusal(table + " is no table of Iceberg's", call);
    }
    return ((SparkTable) found).table().location();
  }
}
