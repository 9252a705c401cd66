package sqe.jvm;

import java.io.IOException;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/** What the clients of object stores say when something fails, in a line that helps and without any key. */
final class StoreAnswer {
  private static final String[] STATUS = {"statusCode", "getStatusCode", "getCode"};
  private static final List PLACES = java.util.Arrays.asList(new String[] {"endpoint", "region", "azure_account"});

  private StoreAnswer() {}

  /** About a look into a bucket. To be thrown; what has an error of its own is thrown here. */
  static IOException of(RuntimeException problem, Path path, Map credentials) {
    String kind = path.toUri().getScheme().equals("abfss") ? "container " : "bucket ";
    return of(problem, path, "there is no " + kind + store(path), credentials);
  }

  /** About the content of a file. */
  static IOException ofContent(RuntimeException problem, Path path, Map credentials) {
    return of(problem, path, "there is no file " + store(path) + path.toUri().getPath(), credentials);
  }

  private static String store(Path path) {
    return path.toUri().getScheme() + "://" + path.toUri().getAuthority();
  }

  private static IOException of(RuntimeException problem, Path path, String missing, Map credentials) {
    if (problem instanceof WrongArguments) {
      throw problem;
    }
    Throwable last = problem;
    int status = status(problem);
    while (last.getCause() != null && last.getCause() != last) {
      last = last.getCause();
      status = status > 0 ? status : status(last);
    }
    if (status == 404) {
      throw new NoSuchFile(missing);
    }
    return new IOException(told(store(path), status, last, credentials));
  }

  private static String told(String store, int status, Throwable last, Map credentials) {
    String words = String.valueOf(last.getMessage()).split("\n")[0];
    if (status == 401 || status == 403) {
      String hint = "\nthey may be wrong, or have no right to read this";
      return hasKeys(credentials)
          ? store + " refuses the keys (" + status + ")" + hint
          : store + " wants keys (" + status + ")\nthe options of the reader take them";
    }
    if (status == 301 || status == 307) {
      return store + " is in another region (" + status + ")\nadd region => '…'";
    }
    if (words.startsWith("Unable to load region")) {
      return "it is not known in which region " + store + " is\nadd region => '…'";
    }
    if (words.startsWith("Unable to load credentials")) {
      return "there are no keys for " + store + "\nadd access_key => '…', secret_key => '…'";
    }
    if (last instanceof UnknownHostException) {
      return "there is no host " + without(words, credentials);
    }
    return store + " answers: " + without(words, credentials);
  }

  /** The status of an answer over HTTP, 0 for what is none; the clients agree on no class. */
  private static int status(Throwable problem) {
    for (int i = 0; i < STATUS.length; i++) {
      try {
        Object found = problem.getClass().getMethod(STATUS[i], new Class[0]).invoke(problem, new Object[0]);
        if (found instanceof Integer && ((Integer) found).intValue() >= 300) {
          return ((Integer) found).intValue();
        }
      } catch (ReflectiveOperationException other) {
        // It has no such method.
      }
    }
    return 0;
  }

  private static boolean hasKeys(Map credentials) {
    return !PLACES.containsAll(credentials.keySet());
  }

  private static String without(String words, Map credentials) {
    String cleaned = words;
    for (Iterator names = credentials.keySet().iterator(); names.hasNext(); ) {
      Object name = names.next();
      String value = (String) credentials.get(name);
      if (!PLACES.contains(name)) {
        cleaned = cleaned.replace(value, "[REDACTED]");
      }
    }
    return cleaned;
  }
}
