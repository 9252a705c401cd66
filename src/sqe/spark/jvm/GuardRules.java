package sqe.jvm;

import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What statements may make of Spark, as the owner of this JVM said at its start. Nothing, when nothing was said. */
final class GuardRules {
  private static volatile GuardRules current = new GuardRules(null);

  private final Map lists;
  final Set nodes;
  final Set leaves;
  final Set functions;
  final Set expressions;
  final Set procedures;
  final Set pathProcedures;
  final Set settings;

  private GuardRules(Map lists) {
    this.lists = lists;
    nodes = set("nodes");
    leaves = set("leaves");
    functions = set("functions");
    expressions = set("expressions");
    procedures = set("procedures");
    pathProcedures = set("path_procedures");
    settings = set("settings");
  }

  static void put(Map lists) {
    current = new GuardRules(lists);
  }

  static GuardRules get() {
    return current;
  }

  /** The arguments of a procedure that are places of files, by name, each with its number; null for none. */
  Map pathArguments(String procedure) {
    return (Map) ((Map) lists.get("path_arguments")).get(procedure);
  }

  /** Whether a property of this name says which class is loaded. */
  boolean namesClass(String property) {
    for (Iterator ends = ((List) lists.get("class_properties")).iterator(); ends.hasNext(); ) {
      if (property.endsWith((String) ends.next())) {
        return true;
      }
    }
    return false;
  }

  /** What a person calls a construct: the words of SQL in the name of its class, unless the lists know better. */
  String words(String className) {
    String known = lists == null ? null : (String) ((Map) lists.get("words")).get(className);
    if (known != null) {
      return known;
    }
    String bare = className.replaceAll("\\$$|^Unresolved|(Command|Statement)$", "");
    return bare.replaceAll("([a-z0-9])([A-Z])", "$1 $2").toUpperCase(java.util.Locale.ROOT);
  }

  private Set set(String name) {
    return lists == null ? new HashSet() : new HashSet((Collection) lists.get(name));
  }
}
