import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import javax.jms.BytesMessage;
import javax.jms.ConnectionFactory;
import javax.jms.DeliveryMode;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.MapMessage;
import javax.jms.StreamMessage;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.transaction.impl.XidImpl;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * An embedded broker and the traffic that fills its store:
 * Traffic BROKER_XML PORT first|again stop|kill SEED. "first" expects an empty store, "again" one
 * that "first" has left. With "stop" the broker is stopped (STOPPED is printed), with "kill" the
 * program prints LOADING and goes on sending until it is killed.
 */
public class Traffic {
   static final long NEVER = 4_000_000_000_000L;
   static EmbeddedActiveMQ broker;
   static ClientSessionFactory factory;
   static ClientSession session;  // every send and every acknowledgement by itself
   static ClientRequestor management;
   static String port;
   static Random random;

   public static void main(String[] arguments) throws Exception {
      port = arguments[1];
      random = new Random(Long.parseLong(arguments[4]));
      startBroker(arguments[0]);
      connect();
      if (arguments[2].equals("first")) {
         first();
      } else {
         again();
      }
      unfinished();
      if (arguments[3].equals("kill")) {
         sendUntilKilled();
      }
      broker.stop();
      System.out.println("STOPPED");
      System.exit(0);
   }

   static void first() throws Exception {
      messageTypes();
      queueKinds();
      acknowledgements();
      transactions();
      preparedTransactions();
      duplicateIds();
      redelivered();
      scheduledAndExpired();
      largeMessages();
      paging();
      managed();
      jms(new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port), "jms");
      jms(new JmsConnectionFactory("amqp://127.0.0.1:" + port), "amqp");
      stomp();
      mixed("mixed", 300);
   }

   /** A second life: consumption of what is there, compaction, and more of everything simple. */
   static void again() throws Exception {
      consume("types.q", 3);
      consume("acks.q", 10);
      consume("paged.b", 60);
      for (Xid xid : xaSession().recover(XAResource.TMSTARTRSCAN)) {
         if (xid.getBranchQualifier()[0] == 's') {
            xaSession().commit(xid, false);
         }
      }
      compact();
      mixed("mixed2", 200);
      compact();
      acknowledgements2();
   }

   // ---- broker and connections ------------------------------------------------------------------

   static void startBroker(String configuration) throws Exception {
      broker = new EmbeddedActiveMQ();
      broker.setConfigResourcePath(new File(configuration).toURI().toString());
      broker.setSecurityManager(new ActiveMQSecurityManager() {
         @Override
         public boolean validateUser(String user, String password) {
            return true;
         }

         @Override
         public boolean validateUserAndRole(String user, String password, java.util.Set<Role> roles,
                                            CheckType type) {
            return true;
         }
      });
      broker.start();
   }

   static void connect() throws Exception {
      ServerLocator locator = ActiveMQClient.createServerLocator("tcp://127.0.0.1:" + port);
      locator.setMinLargeMessageSize(100 * 1024).setReconnectAttempts(0);
      locator.setConsumerWindowSize(0).setBlockOnAcknowledge(true);
      factory = locator.createSessionFactory();
      session = factory.createSession(true, true, 0);
      session.start();
      management = new ClientRequestor(session, "activemq.management");
   }

   static ClientSession transacted() throws Exception {
      ClientSession result = factory.createSession(false, false);
      result.start();
      return result;
   }

   static ClientSession xaSession() throws Exception {
      ClientSession result = factory.createXASession();
      result.start();
      return result;
   }

   static void compact() throws Exception {
      ((JournalImpl) broker.getActiveMQServer().getStorageManager().getMessageJournal())
         .scheduleCompactAndBlock(60_000);
   }

   static Object manage(String resource, String operation, Object... arguments) throws Exception {
      ClientMessage request = session.createMessage(false);
      ManagementHelper.putOperationInvocation(request, resource, operation, arguments);
      ClientMessage reply = management.request(request, 10_000);
      Object result = ManagementHelper.getResult(reply);
      if (!ManagementHelper.hasOperationSucceeded(reply)) {
         throw new IllegalStateException(operation + ": " + result);
      }
      return result;
   }

   // ---- small helpers ---------------------------------------------------------------------------

   static QueueConfiguration queue(String name, String address, RoutingType type) {
      return new QueueConfiguration(name).setAddress(address).setRoutingType(type);
   }

   static void anycast(String... names) throws Exception {
      for (String name : names) {
         session.createQueue(queue(name, name, RoutingType.ANYCAST));
      }
   }

   static void multicast(String address, String... queues) throws Exception {
      for (String name : queues) {
         session.createQueue(queue(name, address, RoutingType.MULTICAST));
      }
   }

   static ClientMessage bytes(ClientSession maker, int size) {
      ClientMessage message = maker.createMessage(Message.BYTES_TYPE, true);
      byte[] body = new byte[size];
      random.nextBytes(body);
      message.getBodyBuffer().writeBytes(body);
      return message;
   }

   static ClientMessage text(ClientSession maker, String text) {
      ClientMessage message = maker.createMessage(Message.TEXT_TYPE, true);
      message.getBodyBuffer().writeNullableSimpleString(
         text == null ? null : new org.apache.activemq.artemis.api.core.SimpleString(text));
      return message;
   }

   static void send(ClientSession sender, String address, Message message) throws Exception {
      try (ClientProducer producer = sender.createProducer(address)) {
         producer.send(message);
      }
   }

   static void send(ClientSession sender, String address, int count, int size) throws Exception {
      for (int i = 0; i < count; i++) {
         send(sender, address, bytes(sender, size + i).putIntProperty("n", i));
      }
   }

   static int consume(String queue, int count) throws Exception {
      return consume(session, queue, count);
   }

   static int consume(ClientSession receiver, String queue, int count) throws Exception {
      int done = 0;
      try (ClientConsumer consumer = receiver.createConsumer(queue)) {
         ClientMessage message;
         while (done < count && (message = consumer.receive(500)) != null) {
            message.individualAcknowledge();
            done++;
         }
      }
      return done;
   }

   // ---- message kinds ---------------------------------------------------------------------------

   static void messageTypes() throws Exception {
      anycast("types.q");
      for (byte type : new byte[] {Message.DEFAULT_TYPE, Message.OBJECT_TYPE, Message.TEXT_TYPE,
                                   Message.BYTES_TYPE, Message.MAP_TYPE, Message.STREAM_TYPE}) {
         send(session, "types.q", session.createMessage(type, true));
      }
      String foreign = "un été à Κρήτη 雪 \uD83D\uDE00";
      String[] texts = {null, "", "plain", foreign, "x".repeat(5000)};
      for (String body : texts) {
         send(session, "types.q", text(session, body));
      }
      send(session, "types.q", session.createMessage(Message.TEXT_TYPE, false));  // not stored
      send(session, "types.q", everyProperty(bytes(session, 10)));
      ClientMessage odd = bytes(session, 1);
      odd.setPriority((byte) 9).setTimestamp(1);
      odd.setUserID(new org.apache.activemq.artemis.utils.UUID(
         1, new byte[] {1, 2, 3, 4, 5, 6, 0x17, 8, (byte) 0x89, 10, 11, 12, 13, 14, 15, 16}));
      send(session, "types.q", odd.setExpiration(NEVER));
      for (int count : new int[] {1, 2, 12, 13, 40}) {
         ClientMessage many = bytes(session, 3);
         for (int i = 0; i < count; i++) {
            many.putStringProperty("key" + random.nextInt(1000) + "." + i, "v" + i);
         }
         send(session, "types.q", many);
      }
   }

   static ClientMessage everyProperty(ClientMessage message) {
      message.putBooleanProperty("yes", true).putBooleanProperty("no", false);
      message.putByteProperty("byte", Byte.MIN_VALUE).putShortProperty("short", Short.MAX_VALUE);
      message.putIntProperty("int", -1).putLongProperty("long", Long.MIN_VALUE);
      message.putFloatProperty("float", 1e10f).putDoubleProperty("double", 1.0 / 3);
      message.putFloatProperty("float nan", Float.NaN).putFloatProperty("float small", 1e-5f);
      message.putDoubleProperty("double inf", Double.NEGATIVE_INFINITY);
      message.putDoubleProperty("double big", 123456789.0).putDoubleProperty("double zero", -0.0);
      message.putDoubleProperty("double min", Double.MIN_VALUE);
      message.putCharProperty(new org.apache.activemq.artemis.api.core.SimpleString("char"), 'é');
      message.putStringProperty("string", "a, b=c]").putStringProperty("empty", "");
      message.putStringProperty("null", null).putBytesProperty("no bytes", new byte[0]);
      message.putBytesProperty("bytes", new byte[] {0, 1, 127, -128, -1});
      message.putBytesProperty("many bytes", new byte[200]);
      message.putBytesProperty("_AMQ_ROUTE_TOx", new byte[16]);
      return message.putStringProperty("schlüssel 雪", "wert");
   }

   static void queueKinds() throws Exception {
      multicast("events", "events.all", "events.more");
      session.createQueue(queue("events.eu", "events", RoutingType.MULTICAST)
                             .setFilterString("region = 'eu' AND n > 2"));
      session.createQueue(queue("kinds.last", "kinds.last", RoutingType.ANYCAST).setLastValue(true)
                             .setLastValueKey("k").setNonDestructive(true));
      session.createQueue(queue("kinds.ring", "kinds.ring", RoutingType.ANYCAST).setRingSize(3L));
      session.createQueue(queue("kinds.many", "kinds.many", RoutingType.MULTICAST)
                             .setExclusive(true).setMaxConsumers(5).setPurgeOnNoConsumers(false)
                             .setConsumersBeforeDispatch(1).setDelayBeforeDispatch(10L)
                             .setGroupRebalance(true).setGroupBuckets(4).setGroupFirstKey("first"));
      session.createQueue(queue("kinds.gone", "kinds.gone", RoutingType.ANYCAST));
      session.createQueue(queue("kinds.nondurable", "events", RoutingType.MULTICAST)
                             .setDurable(false));
      for (int i = 0; i < 12; i++) {
         ClientMessage message = bytes(session, 20 + i).putIntProperty("n", i);
         send(session, "events", message.putStringProperty("region", i % 2 == 0 ? "eu" : "us"));
         send(session, "kinds.last", bytes(session, 5).putStringProperty("k", "key" + i % 3));
         send(session, "kinds.ring", 1, i);
         send(session, "kinds.gone", 1, i);
      }
      session.deleteQueue("kinds.gone");
   }

   // ---- acknowledgements and transactions -------------------------------------------------------

   static void acknowledgements() throws Exception {
      anycast("acks.q", "acks.drained");
      send(session, "acks.q", 40, 700);
      send(session, "acks.drained", 15, 900);
      consume("acks.q", 10);
      consume("acks.drained", 100);
      consume("events.all", 5);
      consume("events.eu", 1);
      ClientSession receiver = transacted();
      try (ClientConsumer consumer = receiver.createConsumer("acks.q")) {
         for (int i = 0; i < 12; i++) {
            ClientMessage message = consumer.receive(500);
            if (i % 3 == 0) {
               message.individualAcknowledge();
            }
         }
      }
      receiver.commit();
      receiver.close();
   }

   static void acknowledgements2() throws Exception {
      send(session, "acks.q", 30, 3000);
      consume("acks.q", 25);
   }

   static void transactions() throws Exception {
      anycast("tx.a", "tx.b");
      ClientSession sender = transacted();
      for (int round = 0; round < 6; round++) {
         send(sender, "tx.a", 3 + round, 200);
         send(sender, "tx.b", 2, 100);
         consume(sender, "tx.a", round % 3);
         if (round % 2 == 0) {
            sender.commit();
         } else {
            sender.rollback();
         }
      }
      // So long that it cannot stand in one file of the journal.
      send(sender, "tx.b", 12, 50_000);
      sender.commit();
      sender.close();
   }

   static void preparedTransactions() throws Exception {
      anycast("xa.q");
      send(session, "xa.q", 10, 64);
      branch("s-sends", 1, true, false);
      branch("a-acks", 0x20005, false, true);
      branch("b-both", -2, true, true);
      XAResource owner = xaSession();
      owner.commit(branch("c-committed", 3, true, true), false);
      owner.rollback(branch("r-rolled back", 4, true, true));
      for (String outcome : new String[] {"commit", "rollback"}) {
         Xid xid = branch("h-" + outcome, 5, true, false);
         manage("broker", outcome + "PreparedTransaction", XidImpl.toBase64String(xid));
      }
      Xid onePhase = xid("o-one phase", 6);
      ClientSession sender = xaSession();
      sender.start(onePhase, XAResource.TMNOFLAGS);
      send(sender, "xa.q", 2, 10);
      sender.end(onePhase, XAResource.TMSUCCESS);
      sender.commit(onePhase, true);
   }

   static Xid xid(String name, int format) {
      return new XidImpl(utf8(name), format, utf8("global " + name));
   }

   static byte[] utf8(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
   }

   static Xid branch(String name, int format, boolean sends, boolean acks) throws Exception {
      Xid xid = xid(name, format);
      ClientSession worker = xaSession();
      worker.start(xid, XAResource.TMNOFLAGS);
      if (sends) {
         send(worker, "xa.q", 2, 30);
         send(worker, "events", 1, 30);
      }
      if (acks) {
         consume(worker, "xa.q", 1);
      }
      worker.end(xid, XAResource.TMSUCCESS);
      worker.prepare(xid);
      return xid;
   }

   static void duplicateIds() throws Exception {
      anycast("dup.q");
      String key = Message.HDR_DUPLICATE_DETECTION_ID.toString();
      for (int i = 0; i < 6; i++) {
         send(session, "dup.q", bytes(session, 5).putStringProperty(key, "id-" + i / 2));
         byte[] id = {9, (byte) i};
         send(session, "dup.q", bytes(session, 5).putBytesProperty(key, id));
      }
      ClientSession sender = transacted();
      send(sender, "dup.q", bytes(sender, 5).putStringProperty(key, "in a transaction"));
      sender.commit();
      sender.close();
   }

   static void redelivered() throws Exception {
      anycast("retry.q", "later.q");
      send(session, "retry.q", 3, 40);
      send(session, "later.q", 2, 40);
      for (String name : new String[] {"retry.q", "retry.q", "retry.q", "retry.q", "later.q"}) {
         ClientSession receiver = transacted();
         consume(receiver, name, 1);
         receiver.rollback();
         receiver.close();
      }
   }

   static void scheduledAndExpired() throws Exception {
      anycast("sched.q", "expiry.q");
      ClientSession sender = transacted();
      for (int i = 0; i < 3; i++) {
         send(session, "sched.q", later(bytes(session, 5), NEVER + i));
         send(sender, "sched.q", later(bytes(sender, 5), NEVER - i));
         long soon = System.currentTimeMillis() + 20;
         send(session, "expiry.q", bytes(session, 5).setExpiration(soon));
         send(session, "expiry.q", bytes(session, 5).setExpiration(NEVER));
      }
      sender.commit();
      sender.close();
      Thread.sleep(50);
      consume("expiry.q", 1);
   }

   static ClientMessage later(ClientMessage message, long time) {
      return message.putLongProperty(Message.HDR_SCHEDULED_DELIVERY_TIME, time);
   }

   static void largeMessages() throws Exception {
      anycast("large.q");
      multicast("large.topic", "large.a", "large.b");
      for (int i = 0; i < 4; i++) {
         ClientMessage message = bytes(session, 150_000 + i);
         send(session, "large.q", message.putStringProperty("name", "large " + i));
      }
      send(session, "large.topic", everyProperty(bytes(session, 120_000)));
      consume("large.a", 1);
      consume("large.q", 1);
      ClientSession sender = transacted();
      send(sender, "large.q", 2, 110_000);
      sender.commit();
      send(sender, "large.q", 1, 110_000);
      sender.rollback();
      sender.close();
   }

   // ---- pages -----------------------------------------------------------------------------------

   static void paging() throws Exception {
      multicast("paged.topic", "paged.a", "paged.b");
      session.createQueue(queue("paged.odd", "paged.topic", RoutingType.MULTICAST)
                             .setFilterString("odd = true"));
      anycast("paged.drained", "paged.ünï/雪");
      for (int i = 0; i < 150; i++) {
         ClientMessage message = bytes(session, 800 + i).putIntProperty("n", i);
         send(session, "paged.topic", message.putBooleanProperty("odd", i % 2 == 1));
      }
      send(session, "paged.drained", 60, 1500);
      send(session, "paged.ünï/雪", 50, 2000);
      pagedTransactions();
      send(session, "paged.topic", everyProperty(bytes(session, 120_000)));
      send(session, "paged.topic", bytes(session, 9).setDurable(false));
      send(session, "paged.topic", later(bytes(session, 9), NEVER));
      consume("paged.a", 90);
      consume("paged.odd", 7);
      consume("paged.drained", 1000);
      ClientSession receiver = transacted();
      try (ClientConsumer consumer = receiver.createConsumer("paged.b")) {
         for (int i = 0; i < 30; i++) {
            ClientMessage message = consumer.receive(500);
            if (i % 4 == 1) {
               message.individualAcknowledge();
            }
         }
      }
      receiver.commit();
      receiver.close();
   }

   static void pagedTransactions() throws Exception {
      ClientSession sender = transacted();
      send(sender, "paged.topic", 6, 500);
      sender.commit();
      send(sender, "paged.topic", 4, 500);
      sender.rollback();
      sender.close();
      Xid xid = xid("p-paged", 8);
      ClientSession worker = xaSession();
      worker.start(xid, XAResource.TMNOFLAGS);
      send(worker, "paged.topic", 5, 500);
      worker.end(xid, XAResource.TMSUCCESS);
      worker.prepare(xid);
   }

   // ---- what management stores ------------------------------------------------------------------

   static void managed() throws Exception {
      multicast("managed.from", "managed.from.q");
      anycast("managed.paused");
      multicast("managed.to", "managed.to.q");
      manage("broker", "createDivert", "a divert", "routing", "managed.from", "managed.to", false,
             "n > 1", null);
      manage("broker", "createDivert", "gone", "routing2", "managed.from", "managed.to", true,
             null, null);
      manage("broker", "destroyDivert", "gone");
      manage("broker", "addSecuritySettings", "managed.#", "send1,send2", "consume", "create",
             "delete", "create2", "delete2", "manage", "browse", "address", "address2");
      for (int attempts : new int[] {3, 7}) {
         manage("broker", "addAddressSettings", "managed.#", "DLQ", "ExpiryQueue", -1L, false,
                attempts, 1_000_000L, 20_000, 5, 100L, 1.5, 60_000L, 1000L, true, "PAGE", -1L, 5L,
                "KILL", true, false, true, false);
      }
      manage("queue.managed.paused", "pause", true);
      manage("address.managed.to", "pause", true);
      send(session, "managed.from", 4, 30);
      manage("broker", "updateQueue", "managed.paused", "ANYCAST", 3, false);
   }

   // ---- other clients ---------------------------------------------------------------------------

   static void jms(ConnectionFactory connections, String name) throws Exception {
      try (JMSContext context = connections.createContext(JMSContext.CLIENT_ACKNOWLEDGE)) {
         context.setClientID("client of " + name);
         javax.jms.Topic topic = context.createTopic(name + ".topic");
         context.createDurableConsumer(topic, "all").close();
         context.createDurableConsumer(topic, "some", "n > 1", false).close();
         JMSProducer producer = context.createProducer();
         for (int i = 0; i < 4; i++) {
            everyJmsProperty(context.createProducer(), i).send(topic, "text " + i);
         }
         javax.jms.Queue queue = context.createQueue(name + ".queue");
         producer.send(queue, context.createMessage());
         producer.send(queue, context.createTextMessage());
         producer.send(queue, context.createObjectMessage(new java.util.Date(0)));
         BytesMessage bytes = context.createBytesMessage();
         bytes.writeUTF("bytes");
         long muchLater = NEVER - System.currentTimeMillis();
         everyJmsProperty(producer, 5).setTimeToLive(muchLater).setPriority(8).setJMSReplyTo(queue);
         producer.setJMSType("kind").setJMSCorrelationID("correlated").send(queue, bytes);
         producer.setDeliveryDelay(muchLater).send(queue, map(context));
         producer.setDeliveryDelay(0).setDeliveryMode(DeliveryMode.NON_PERSISTENT);
         producer.send(queue, "not stored");
         producer.setDeliveryMode(DeliveryMode.PERSISTENT).send(queue, stream(context));
         bytes = context.createBytesMessage();
         bytes.writeBytes(new byte[150_000]);
         context.createProducer().send(queue, bytes);
         context.createConsumer(queue).receive(2000).acknowledge();
      }
      try (JMSContext context = connections.createContext(JMSContext.SESSION_TRANSACTED)) {
         context.createProducer().send(context.createQueue(name + ".tx"), "committed");
         context.commit();
         context.createProducer().send(context.createQueue(name + ".tx"), "rolled back");
         context.rollback();
      }
   }

   static JMSProducer everyJmsProperty(JMSProducer producer, int n) {
      producer.setProperty("n", n).setProperty("flag", n % 2 == 0).setProperty("byte", (byte) n);
      producer.setProperty("short", (short) n).setProperty("long", 1L << 40);
      producer.setProperty("float", n / 3f).setProperty("double", n / 7.0);
      return producer.setProperty("text", "un été " + n);
   }

   static MapMessage map(JMSContext context) throws Exception {
      MapMessage map = context.createMapMessage();
      map.setString("text", "value");
      map.setInt("int", 4);
      map.setBytes("bytes", new byte[] {1, 2});
      return map;
   }

   static StreamMessage stream(JMSContext context) throws Exception {
      StreamMessage stream = context.createStreamMessage();
      stream.writeString("hello");
      stream.writeBoolean(true);
      return stream;
   }

   static void stomp() throws Exception {
      anycast("stomp.q");
      try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(port))) {
         socket.setSoTimeout(10_000);
         frame(socket, "CONNECT\naccept-version:1.2\nhost:localhost\n\n");
         String send = "SEND\ndestination:stomp.q\npersistent:true\n";
         frame(socket, send + "receipt:1\nname:value\n\ntext body");
         frame(socket, send + "receipt:2\ncontent-length:5\n\nbytes");
      }
   }

   /** Sends a frame and waits for its answer. */
   static void frame(Socket socket, String frame) throws Exception {
      OutputStream out = socket.getOutputStream();
      out.write(utf8(frame + "\0"));
      out.flush();
      InputStream in = socket.getInputStream();
      while (in.read() > 0) {
         continue;
      }
   }

   // ---- load ------------------------------------------------------------------------------------

   /** Random sends, acknowledgements, commits and rollbacks over a few queues. */
   static void mixed(String prefix, int steps) throws Exception {
      String[] names = {prefix + ".0", prefix + ".1", prefix + ".2"};
      anycast(names);
      ClientSession worker = transacted();
      for (int i = 0; i < steps; i++) {
         String name = names[random.nextInt(names.length)];
         ClientSession actor = random.nextBoolean() ? worker : session;
         switch (random.nextInt(8)) {
            case 0:
               worker.commit();
               break;
            case 1:
               worker.rollback();
               break;
            case 2:
               if (broker.getActiveMQServer().locateQueue(name).getMessageCount() > 3) {
                  consume(actor, name, 1);
               }
               break;
            default:
               send(actor, name, randomProperties(bytes(actor, random.nextInt(3000))));
         }
      }
      worker.commit();
      worker.close();
   }

   static ClientMessage randomProperties(ClientMessage message) {
      for (int i = random.nextInt(15); i > 0; i--) {
         randomProperty(message, Integer.toString(random.nextInt(100_000), 36));
      }
      return message;
   }

   static void randomProperty(ClientMessage message, String key) {
      switch (random.nextInt(6)) {
         case 0:
            message.putIntProperty(key, random.nextInt());
            break;
         case 1:
            message.putDoubleProperty(key, Double.longBitsToDouble(random.nextLong()));
            break;
         case 2:
            message.putFloatProperty(key, Float.intBitsToFloat(random.nextInt()));
            break;
         case 3:
            message.putLongProperty(key, random.nextLong());
            break;
         case 4:
            message.putBytesProperty(key, Arrays.copyOf(new byte[] {1, -2, 3}, random.nextInt(90)));
            break;
         default:
            message.putStringProperty(key, key + " " + random.nextGaussian());
      }
   }

   /** Transactions that are neither committed nor rolled back when the broker ends. */
   static void unfinished() throws Exception {
      ClientSession open = transacted();
      send(open, "tx.a", 3, 300);
      send(open, "paged.topic", 2, 300);
      consume(open, "tx.b", 1);
      open.commit(false);
      send(open, "tx.a", 2, 300);
      send(open, "large.q", 1, 130_000);
      consume(open, "tx.b", 1);
   }

   static void sendUntilKilled() throws Exception {
      System.out.println("LOADING");
      for (ClientSession worker = transacted(); ; ) {
         send(worker, "tx.a", 10 + random.nextInt(10), 400);
         consume(worker, "tx.a", random.nextInt(10));
         worker.commit();
      }
   }
}
