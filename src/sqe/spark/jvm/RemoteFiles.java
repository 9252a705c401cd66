package sqe.jvm;

import java.lang.ref.WeakReference;
import java.util.Iterator;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Placeholder until the remote schemes come. */
final class RemoteFiles {
  static final String ACCESS = "fs.sqe.access";
  private static final Map GRANTS = new ConcurrentHashMap();

  static String allow(FileAccess access, String secret) {
    return secret == null ? "" : secret;
  }
}
