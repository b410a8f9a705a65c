"""Real Artemis as a judge: fetch releases, run an embedded broker, run their own `data` commands.

Releases are fetched by Maven from wherever the machine's Maven settings point, and kept in the
folder $SARANGA_PEERS (~/.cache/artemis-peers), so that a second run needs no network.
"""
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = ("bindings", "journal", "paging", "large-messages")
FETCH_TIMEOUT_S = 600
LIFE_TIMEOUT_S = 240
TOOL_TIMEOUT_S = 120
# Modules that a release is put together from when its distribution is not to be had.
MODULES = ("artemis-cli", "artemis-server", "artemis-amqp-protocol", "artemis-stomp-protocol",
           "artemis-jms-client")


class PeerError(Exception):
    """The real thing could not be fetched, started or asked: no verdict about saranga."""


# ---- the releases --------------------------------------------------------------------------------


def cache():
    folder = os.environ.get("SARANGA_PEERS") or "~/.cache/artemis-peers"
    return Path(folder).expanduser()


def libraries(release):
    """The folder of a release's jars, or None when it has not been fetched."""
    for folder in (cache() / f"apache-artemis-{release}" / "lib", cache() / f"lib-{release}"):
        if any(folder.glob("artemis-cli-*.jar")):
            return folder
    return None


def fetch(release):
    """The folder of the release's jars; fetches the distribution, or else its modules."""
    found = libraries(release)
    if found:
        return found
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as scratch:
        problem = fetch_distribution(release, Path(scratch))
        problem = problem and fetch_modules(release, Path(scratch))
    found = libraries(release)
    if not found:
        raise PeerError(f"Artemis {release} cannot be fetched: {problem}")
    return found


def fetch_distribution(release, scratch):
    """Unpacks the distribution into the cache; gives what went wrong."""
    problem = maven(scratch, "dependency:unpack", f"-DoutputDirectory={scratch}/unpacked",
                    f"-Dartifact=org.apache.activemq:apache-artemis:{release}:zip:bin")
    unpacked = scratch / "unpacked" / f"apache-artemis-{release}"
    if unpacked.is_dir():
        # Only a complete folder may appear in the cache.
        unpacked.rename(cache() / unpacked.name)
        return None
    return problem or "the distribution is not laid out as expected"


def fetch_modules(release, scratch):
    dependencies = "".join(
        f"<dependency><groupId>org.apache.activemq</groupId><artifactId>{module}</artifactId>"
        f"<version>{release}</version></dependency>" for module in MODULES)
    (scratch / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>saranga</groupId><artifactId>peer</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>")
    problem = maven(scratch, "-f", f"{scratch}/pom.xml", "dependency:copy-dependencies",
                    f"-DoutputDirectory={scratch}/lib")
    if not problem:
        (scratch / "lib").rename(cache() / f"lib-{release}")
    return problem


def maven(scratch, *arguments):
    """Runs Maven, whose marks stay in the folder; gives None or the end of what it said."""
    try:
        done = subprocess.run(["mvn", "-q", "-B", *arguments], cwd=scratch, capture_output=True,
                              text=True, timeout=FETCH_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stdout + done.stderr)[-500:] or "Maven failed" if done.returncode else None


def java(program="java"):
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/{program}" if home else program


def class_path(release, source=None):
    """The class path of a release, with the classes of one Java source in front."""
    jars = f"{fetch(release)}/*"
    return f"{compiled(release, source)}{os.pathsep}{jars}" if source else jars


def compiled(release, source):
    """Compiles a source file, and what it uses beside it, against a release, once for each version."""
    texts = [path.read_text() for path in sorted(source.parent.glob("*.java"))]
    digest = hashlib.sha256("\0".join([release, source.name, *texts]).encode()).hexdigest()[:16]
    classes = cache() / "classes" / digest
    if classes.is_dir():
        return classes
    classes.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=classes.parent) as scratch:
        done = subprocess.run([java("javac"), "-nowarn", "-encoding", "UTF-8", "-cp",
                               class_path(release), "-sourcepath", str(source.parent),
                               "-d", f"{scratch}/out", str(source)],
                              capture_output=True, text=True)
        if done.returncode:
            raise PeerError(f"{source.name} does not compile with {release}: {done.stderr}")
        os.rename(f"{scratch}/out", classes)
    return classes


# ---- brokers -------------------------------------------------------------------------------------

BROKER_XML = """<?xml version="1.0"?>
<configuration xmlns="urn:activemq"><core xmlns="urn:activemq:core"><name>peer</name>
<persistence-enabled>true</persistence-enabled>
<journal-type>NIO</journal-type><journal-datasync>true</journal-datasync>
<bindings-directory>{store}/bindings</bindings-directory>
<journal-directory>{store}/journal</journal-directory>
<paging-directory>{store}/paging</paging-directory>
<large-messages-directory>{store}/large-messages</large-messages-directory>
<journal-file-size>{file_size}</journal-file-size>
<journal-min-files>2</journal-min-files><journal-pool-files>10</journal-pool-files>
<journal-compact-min-files>{compact_min_files}</journal-compact-min-files>
<security-enabled>false</security-enabled><critical-analyzer>false</critical-analyzer>
<global-max-size>-1</global-max-size>
<acceptors><acceptor name="all">tcp://127.0.0.1:{port}</acceptor></acceptors>
<address-settings><address-setting match="#">
<dead-letter-address>DLQ</dead-letter-address><expiry-address>ExpiryQueue</expiry-address>
<redelivery-delay>0</redelivery-delay><max-size-bytes>-1</max-size-bytes>
<page-size-bytes>20K</page-size-bytes><auto-delete-queues>false</auto-delete-queues>
<auto-delete-addresses>false</auto-delete-addresses></address-setting>{address_settings}
</address-settings>
<addresses><address name="DLQ"><anycast><queue name="DLQ"/></anycast></address>
<address name="ExpiryQueue"><anycast><queue name="ExpiryQueue"/></anycast></address></addresses>
</core></configuration>
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_broker_xml(path, store, port, **settings):
    values = {"file_size": "256K", "compact_min_files": 0, "address_settings": "", **settings}
    path.write_text(BROKER_XML.format(store=store, port=port, **values))


def loggers(release):
    """Jars that write a release's warnings to standard error, where its own do not."""
    if any(fetch(release).glob("log4j-core-*.jar")) or version_of(release) < (2, 29, 0):
        return ""
    found = libraries("2.40.0")
    jars = sorted(found.glob("log4j-*.jar")) if found else ()
    return "".join(os.pathsep + str(jar) for jar in jars)


def version_of(release):
    return tuple(map(int, release.split(".")))


class Broker:
    """A JVM with an embedded broker and the traffic of a Java program, which says a word at a time.

    The program gets broker.xml, the port and further arguments; it must end by itself after the
    traffic (stop) or go on until it is killed.
    """

    def __init__(self, release, source, store, *arguments, heap="1g", **settings):
        port = free_port()
        self.xml = store.with_name(store.name + ".broker.xml")
        write_broker_xml(self.xml, store, port, **settings)
        self.log = store.with_name(store.name + ".broker.log")
        command = [java(), f"-Xmx{heap}", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC",
                   "-Dlog4j2.level=WARN", "-cp", class_path(release, source) + loggers(release),
                   source.stem, str(self.xml), str(port),
                   *arguments]
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True,
                                            stdin=subprocess.DEVNULL)
        # Traffic that hangs must not hang the run: the end of the process ends every wait for it.
        self.watchdog = threading.Timer(LIFE_TIMEOUT_S, self.process.kill)
        self.watchdog.daemon = True
        self.watchdog.start()

    def wait_for(self, word):
        """Reads on until the program says the word; other lines go into the log."""
        with open(self.log, "a") as log:
            for line in self.process.stdout:
                if line.strip() == word:
                    return self
                log.write(line)
        self.process.wait()
        raise PeerError(f"broker ended with {self.process.returncode}: see {self.log}")

    def stop(self):
        """Waits for the end that the program comes to by itself."""
        self.wait_for("STOPPED")
        self.process.wait()

    def kill(self):
        """Ends the broker before it can tidy up; one that has ended already stays as it is."""
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


# ---- data commands -------------------------------------------------------------------------------


def copy_store(store, target):
    """A throw-away copy for the real tools, which change the store they print."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(store, target)
    for folder in FOLDERS:
        (target / folder).mkdir(exist_ok=True)
    return target


def instance_for(release, store):
    """The least of a broker instance that a release's `data` commands want to see."""
    instance = store.with_name(store.name + ".instance")
    etc = instance / "etc"
    etc.mkdir(parents=True, exist_ok=True)
    write_broker_xml(etc / "broker.xml", store, 1)
    modern = tuple(map(int, release.split("."))) >= (2, 20, 0)
    schema = "http://activemq.apache.org/schema" if modern else "http://activemq.org/schema"
    (etc / "bootstrap.xml").write_text(
        f'<broker xmlns="{schema}"><jaas-security domain="activemq"/>'
        f'<server configuration="file:{etc}/broker.xml"/>'
        '<web bind="http://localhost:0" path="web"/></broker>')
    (etc / "management.xml").write_text(
        '<management-context xmlns="http://activemq.apache.org/schema"/>')
    return instance


def data_command(release, store, verb, *options, heap="1g"):
    """The command line of a release's `artemis data VERB` on the four folders of a copy."""
    instance = instance_for(release, store)
    etc = instance / "etc"
    folders = [word for name in FOLDERS for word in (f"--{name}", str(store / name))]
    return [java(), f"-Xmx{heap}", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8",
            "-Dsun.stdout.encoding=UTF-8", "-cp", class_path(release),
            f"-Dartemis.home={instance}", f"-Dartemis.instance={instance}",
            f"-Dartemis.instance.etc={etc}", f"-Dartemis.instance.uri=file:{instance}/",
            f"-Dartemis.instance.etc.uri=file:{etc}/",
            "org.apache.activemq.artemis.cli.Artemis", "data", verb, *folders, *options]


def data_print(release, store, *options):
    """The text of a release's `data print` of a copy."""
    done = subprocess.run(data_command(release, store, "print", *options), capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=TOOL_TIMEOUT_S)
    text = done.stdout.decode("utf-8", "surrogateescape")
    # The tool ends with 0 whatever happens; a complete text reaches the title of the pages.
    if "P A G I N G" not in text:
        raise PeerError(f"data print of {release} failed: {done.stderr.decode()[-500:]}")
    return text
