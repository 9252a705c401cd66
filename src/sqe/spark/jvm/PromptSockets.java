package sqe.jvm;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ServerSocketFactory;

/**
 * Sockets that send at once. An answer of more than a few kilobytes leaves in several pieces, and the system would keep
 * the last one back until the others are acknowledged, which takes 40 ms.
 */
final class PromptSockets extends ServerSocketFactory {
  public ServerSocket createServerSocket() throws IOException {
    return new Prompt();
  }

  public ServerSocket createServerSocket(int port) throws IOException {
    throw new UnsupportedOperationException();
  }

  public ServerSocket createServerSocket(int port, int backlog) throws IOException {
    throw new UnsupportedOperationException();
  }

  public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
    throw new UnsupportedOperationException();
  }

  private static final class Prompt extends ServerSocket {
    Prompt() throws IOException {}

    public Socket accept() throws IOException {
      Socket socket = super.accept();
      socket.setTcpNoDelay(true);
      return socket;
    }
  }
}
