package sqe.jvm;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import org.apache.commons.io.FileUtils;
import py4j.GatewayServer;

/**
 * The JVM's entry point. Reads one line from standard input (the gateway's secret and the Spark settings as JSON),
 * opens the Py4J gateway on loopback, prints its port, and starts Spark. End of input means that the owner is gone.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream answer = System.out;
    // Nothing but the port may reach the owner's pipe; whatever else is printed belongs in the log.
    System.setOut(System.err);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    String line = input.readLine();
    if (line == null) {
      return;
    }
    StartOptions options = StartOptions.parse(line);
    Engine engine = new Engine(options);
    GatewayServer gateway =
        new GatewayServer.GatewayServerBuilder(engine)
            .javaPort(0)
            .javaAddress(InetAddress.getLoopbackAddress())
            .serverSocketFactory(new PromptSockets())
            .authToken(options.secret)
            .build();
    gateway.start();
    answer.println("gateway " + gateway.getListeningPort());
    answer.flush();
    engine.start();
    while (input.readLine() != null) {
      // Only the end of the stream has a meaning.
    }
    engine.stop();
    // When the owner was killed nobody else removes it.
    FileUtils.deleteQuietly(new File(options.scratch));
    System.exit(0);
  }
}
