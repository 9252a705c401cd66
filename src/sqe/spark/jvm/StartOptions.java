package sqe.jvm;

import java.util.Map;

/** What the owner hands over on standard input, so that no secret stands in the process list or the environment. */
final class StartOptions {
  final String secret;
  final Map conf;
  final String scratch;
  final Map functions;
  final Map guard;

  private StartOptions(String secret, Map conf, String scratch, Map functions, Map guard) {
    this.secret = secret;
    this.conf = conf;
    this.scratch = scratch;
    this.functions = functions;
    this.guard = guard;
  }

  static StartOptions parse(String json) throws Exception {
    Map map = Json.map(json);
    return new StartOptions(
        (String) map.get("secret"), (Map) map.get("conf"), (String) map.get("scratch"), (Map) map.get("functions"),
        (Map) map.get("guard"));
  }
}
