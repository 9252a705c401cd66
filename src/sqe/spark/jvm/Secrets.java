package sqe.jvm;

import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keys that came with a statement. The engine's text of it, its plans and its settings hold only the name under which
 * they are kept here; they are gone with the statement.
 */
final class Secrets {
  private static final Map BY_NAME = new ConcurrentHashMap();
  /** Connections that were opened with them. */
  private static final Map SOURCES = new ConcurrentHashMap();

  private Secrets() {}

  static void put(String name, Map credentials) {
    SOURCES.put(name, new HashMap());
    BY_NAME.put(name, credentials);
  }

  static Map get(String name) {
    if (name == null) {
      return Collections.EMPTY_MAP;
    }
    Map credentials = (Map) BY_NAME.get(name);
    if (credentials == null) {
      throw new NotAllowed("the credentials of this statement are gone");
    }
    return credentials;
  }

  static Map sources(String name) {
    get(name);
    return (Map) SOURCES.get(name);
  }

  static void forget(String owner) {
    for (Iterator names = BY_NAME.keySet().iterator(); names.hasNext(); ) {
      String name = (String) names.next();
      if (name.startsWith(owner + "/")) {
        names.remove();
        RemoteFiles.close((Map) SOURCES.remove(name));
      }
    }
  }
}
