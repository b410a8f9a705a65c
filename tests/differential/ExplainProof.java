import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.core.journal.impl.JournalFile;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.transaction.impl.XidImpl;

/**
 * A broker that proves or refutes what `data explain` says of a store:
 * ExplainProof BROKER_XML PORT make SEED              fills an empty store
 * ExplainProof BROKER_XML PORT act SCRIPT             does what the lines of a file say, and nothing else
 * ExplainProof BROKER_XML PORT account FOLDER:SIZE…   loads journals and tells Artemis' own sums
 * Prints STOPPED at the end.
 */
public class ExplainProof {
   static final String NUMBER = "n";
   static EmbeddedActiveMQ broker;
   static ClientSessionFactory factory;
   static ClientSession session;
   static ClientProducer producer;
   static Random random;
   static long next = 1;

   public static void main(String[] arguments) {
      try {
         run(arguments);
         System.out.println("STOPPED");
         System.exit(0);
      } catch (Throwable problem) {
         // The threads of a broker would keep the process alive.
         problem.printStackTrace();
         System.exit(1);
      }
   }

   static void run(String[] arguments) throws Exception {
      if (arguments[2].equals("account")) {
         for (String journal : Arrays.asList(arguments).subList(3, arguments.length)) {
            int colon = journal.lastIndexOf(':');
            account(journal.substring(0, colon), Integer.parseInt(journal.substring(colon + 1)));
         }
      } else {
         broker = new EmbeddedActiveMQ();
         broker.setConfigResourcePath(new File(arguments[0]).toURI().toString());
         broker.start();
         connect(arguments[1]);
         if (arguments[2].equals("make")) {
            random = new Random(Long.parseLong(arguments[3]));
            make();
         } else {
            act(Files.readAllLines(Path.of(arguments[3]), StandardCharsets.UTF_8));
         }
         factory.close();
         broker.stop();
      }
   }

   static void connect(String port) throws Exception {
      ServerLocator locator = ActiveMQClient.createServerLocator("tcp://127.0.0.1:" + port);
      locator.setConsumerWindowSize(0).setBlockOnAcknowledge(false).setBlockOnDurableSend(false);
      factory = locator.createSessionFactory();
      session = factory.createSession(true, true, 0);
      session.start();
      producer = session.createProducer();
   }

   static JournalImpl journal() {
      return (JournalImpl) broker.getActiveMQServer().getStorageManager().getMessageJournal();
   }

   static void queue(String address, String name, RoutingType routing) throws Exception {
      session.createQueue(new QueueConfiguration(name).setAddress(address).setRoutingType(routing));
   }

   static void send(ClientSession on, ClientProducer by, String address, int bytes) throws Exception {
      ClientMessage message = on.createMessage(true);
      message.putLongProperty(NUMBER, next++);
      message.getBodyBuffer().writeBytes(new byte[bytes]);
      by.send(address, message);
   }

   static int size() {
      return 300 + random.nextInt(2500);
   }

   // ---- the store -----------------------------------------------------------------------------------

   /** Much comes and goes, little stays: a few messages hold long chains of files. */
   static void make() throws Exception {
      queue("churn", "churn", RoutingType.ANYCAST);
      queue("stuck", "stuck", RoutingType.ANYCAST);
      queue("rare", "rare", RoutingType.ANYCAST);
      queue("topic", "topic.a", RoutingType.MULTICAST);
      queue("topic", "topic.b", RoutingType.MULTICAST);
      ClientConsumer churn = session.createConsumer("churn");
      ClientConsumer a = session.createConsumer("topic.a");
      ClientConsumer b = session.createConsumer("topic.b");
      int waiting = 0;
      for (int i = 0; i < 1500; i++) {
         send(session, producer, "churn", size());
         waiting++;
         while (waiting > random.nextInt(25)) {
            churn.receive(5000).acknowledge();
            waiting--;
         }
         if (i % 120 == 7) {
            send(session, producer, "stuck", size());
         }
         if (i == 640 || i == 1130) {
            send(session, producer, "rare", size());
         }
         if (i % 90 == 20) {
            send(session, producer, "topic", size());
            a.receive(5000).acknowledge();
            if (i % 180 != 20) {
               b.receive(5000).acknowledge();
            }
         }
         if (i % 200 == 150) {
            transacted(i % 400 == 150);
         }
         if (i == 900) {
            refuse("stuck", 2);
         }
         if (i == 1000) {
            prepare();
         }
      }
      while (waiting-- > 0) {
         churn.receive(5000).acknowledge();
      }
      roll(1);
   }

   static void transacted(boolean commit) throws Exception {
      try (ClientSession other = factory.createSession(false, false)) {
         other.start();
         ClientProducer by = other.createProducer();
         for (int i = 0; i < 4; i++) {
            send(other, by, commit ? "stuck" : "churn", size());
         }
         if (commit) {
            other.commit();
         } else {
            other.rollback();
         }
      }
   }

   /** Delivery counts are updates of messages that may be many files away. */
   static void refuse(String queue, int count) throws Exception {
      try (ClientSession other = factory.createSession(false, false)) {
         other.start();
         ClientConsumer consumer = other.createConsumer(queue);
         for (int i = 0; i < count; i++) {
            consumer.receive(5000).acknowledge();
         }
         other.rollback();
      }
   }

   static void prepare() throws Exception {
      Xid xid = new XidImpl("proof".getBytes(), 1, "prepared".getBytes());
      ClientSession other = factory.createXASession();
      other.start();
      other.start(xid, XAResource.TMNOFLAGS);
      send(other, other.createProducer(), "rare", 500);
      other.end(xid, XAResource.TMSUCCESS);
      other.prepare(xid);
   }

   // ---- acts ----------------------------------------------------------------------------------------

   static void act(List<String> lines) throws Exception {
      for (String line : lines) {
         String[] words = line.split(" ");
         switch (words[0]) {
            case "consume":
               consume(words[1], new TreeSet<>(Arrays.asList(words).subList(2, words.length)));
               break;
            case "roll":
               roll(2);
               break;
            case "files":
               System.out.println("FILES " + words[1] + " " + headers());
               break;
            default:
               throw new IllegalArgumentException(line);
         }
      }
   }

   /**
    * Exactly these messages of the queue. Those that have a number are selected by it; otherwise they
    * must be the first ones of the queue.
    */
   static void consume(String queue, Set<String> ids) throws Exception {
      List<String> numbers = new ArrayList<>();
      int there = 0;
      try (ClientConsumer browser = session.createConsumer(queue, null, 0, -1, true)) {
         for (ClientMessage m = browser.receiveImmediate(); m != null; m = browser.receiveImmediate()) {
            if (ids.contains(Long.toString(m.getMessageID()))) {
               there++;
               if (m.containsProperty(NUMBER)) {
                  numbers.add(m.getObjectProperty(NUMBER).toString());
               }
            }
         }
      }
      if (there != ids.size()) {
         throw new IllegalStateException(queue + " has " + there + " of " + ids.size());
      }
      boolean numbered = numbers.size() == ids.size();
      String filter = NUMBER + " = " + String.join(" OR " + NUMBER + " = ", numbers);
      try (ClientSession other = factory.createSession(false, false)) {
         other.start();
         ClientConsumer consumer = other.createConsumer(queue, numbered ? filter : null);
         for (int i = 0; i < ids.size(); i++) {
            ClientMessage message = consumer.receive(5000);
            if (!ids.contains(Long.toString(message.getMessageID()))) {
               throw new IllegalStateException(queue + " gave " + message.getMessageID());
            }
            message.acknowledge();
         }
         other.commit();
      }
   }

   /** Sends and consumes until the journal has gone on to another file so many times. */
   static void roll(int files) throws Exception {
      if (!session.queueQuery(new SimpleString("filler")).isExists()) {
         queue("filler", "filler", RoutingType.ANYCAST);
      }
      ClientConsumer consumer = session.createConsumer("filler");
      for (int i = 0; i < files; i++) {
         JournalFile current = journal().getCurrentFile();
         while (journal().getCurrentFile() == current) {
            send(session, producer, "filler", 3000);
            consumer.receive(5000).acknowledge();
         }
      }
      consumer.close();
      // The check runs on a thread of the journal.
      Thread.sleep(500);
   }

   static String headers() throws IOException {
      File folder = broker.getActiveMQServer().getConfiguration().getJournalLocation();
      Set<Long> ids = new TreeSet<>();
      for (File file : folder.listFiles((f, name) -> name.endsWith(".amq"))) {
         try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            in.readLong();
            ids.add(in.readLong());
         }
      }
      return ids.toString().replaceAll("[\\[\\] ]", "");
   }

   // ---- Artemis' own sums -----------------------------------------------------------------------------

   /** What a load of the journal counts; it changes the files, so that it needs a copy. */
   static void account(String folder, int fileSize) throws Exception {
      NIOSequentialFileFactory files = new NIOSequentialFileFactory(new File(folder), null, 1);
      JournalImpl journal = new JournalImpl(fileSize, 2, -1, 0, 0, files, "activemq-data", "amq", 1);
      journal.replaceableRecord((byte) 34);
      journal.replaceableRecord((byte) 36);
      journal.start();
      journal.loadInternalOnly();
      List<JournalFile> all = new ArrayList<>(Arrays.asList(journal.getDataFiles()));
      JournalFile current = journal.getCurrentFile();
      System.out.println("JOURNAL " + folder + " current=" + current.getFileID());
      for (int i = 0; i < all.size(); i++) {
         JournalFile file = all.get(i);
         int cancelled = 0;
         for (JournalFile later : all.subList(i, all.size())) {
            cancelled += later.getNegCount(file);
         }
         StringBuilder needed = new StringBuilder();
         for (JournalFile earlier : all.subList(0, i)) {
            if (file.getNegCount(earlier) != 0) {
               needed.append(needed.length() == 0 ? "" : ",").append(earlier.getFileID()).append('=')
                  .append(file.getNegCount(earlier));
            }
         }
         System.out.println("FILE " + file.getFileID() + " positive=" + file.getPosCount()
            + " live=" + file.getLiveSize() + " cancelled=" + cancelled + " adds="
            + file.getAddRecord() + " replaceable=" + file.getReplaceableCount()
            + " needed=" + needed);
      }
      journal.stop();
   }
}
