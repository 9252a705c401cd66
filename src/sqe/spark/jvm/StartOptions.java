package sqe.jvm;

import java.util.Map;

/** What the owner hands over on standard input, so that no secret stands in the process list or the environment. */
final class StartOptions {
  final String secret;
  final Map conf;
  final String warmUp;

  private StartOptions(String secret, Map conf, String warmUp) {
    this.secret = secret;
    this.conf = conf;
    this.warmUp = warmUp;
  }

  static StartOptions parse(String json) throws Exception {
    Map map = Json.map(json);
    return new StartOptions((String) map.get("secret"), (Map) map.get("conf"), (String) map.get("warm_up"));
  }
}
