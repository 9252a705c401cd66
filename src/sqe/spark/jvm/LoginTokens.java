package sqe.jvm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tokens of the people who are logged in, by a random reference. Settings, plans and file handles hold the reference
 * only; a token that is renewed is changed here, and whoever asks next gets the new one.
 */
final class LoginTokens {
  private static final Map BY_REFERENCE = new ConcurrentHashMap();

  private LoginTokens() {}

  static void put(String reference, String token) {
    BY_REFERENCE.put(reference, token);
  }

  static void forget(String reference) {
    BY_REFERENCE.remove(reference);
  }

  static String get(String reference) {
    Object token = reference == null ? null : BY_REFERENCE.get(reference);
    if (token == null) {
      throw new NotAllowed("there is no token of yours that this catalog could be asked with");
    }
    return (String) token;
  }
}
