package sqe.jvm;

import java.util.Iterator;
import java.util.Map;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.view.ReplaceViewVersion;
import org.apache.iceberg.view.SQLViewRepresentation;
import org.apache.iceberg.view.UpdateViewProperties;
import org.apache.iceberg.view.View;
import org.apache.iceberg.view.ViewRepresentation;
import org.apache.iceberg.view.ViewVersion;
import org.apache.spark.sql.classic.SparkSession;

/**
 * The text that a person wrote for a view, kept beside the one for Spark: engines that read Trino's SQL find theirs.
 */
final class ViewTexts {
  private static final String DIALECT = "trino";

  private ViewTexts() {}

  static void keep(SparkSession session, Map request) {
    IcebergTables target = IcebergTables.of(session, request.get("view"));
    if (!(target.catalog instanceof ViewCatalog)) {
      return;
    }
    View view = ((ViewCatalog) target.catalog).loadView(target.name);
    ViewVersion current = view.currentVersion();
    ReplaceViewVersion change = view.replaceVersion();
    change.withSchema(view.schema());
    for (Iterator all = current.representations().iterator(); all.hasNext(); ) {
      ViewRepresentation each = (ViewRepresentation) all.next();
      if (each instanceof SQLViewRepresentation) {
        SQLViewRepresentation text = (SQLViewRepresentation) each;
        if (DIALECT.equals(text.dialect())) {
          return;
        }
        change.withQuery(text.dialect(), text.sql());
      }
    }
    change.withQuery(DIALECT, (String) request.get("written"));
    change.withDefaultNamespace(current.defaultNamespace());
    if (current.defaultCatalog() != null) {
      change.withDefaultCatalog(current.defaultCatalog());
    }
    change.commit();
    UpdateViewProperties properties = view.updateProperties();
    // The next CREATE OR REPLACE comes by Spark, which writes its own dialect alone; then this is done again.
    properties.set("replace.drop-dialect.allowed", "true");
    properties.set("sqe.view-security", (String) request.get("security"));
    properties.set("sqe.view-definer", (String) request.get("definer"));
    properties.commit();
  }
}
