"""The readers, by format."""

from collections.abc import Callable, Mapping

from atmem_core.records import ImportFormat
from atmem_core.transfer.formats.chatgpt import ChatGptReader
from atmem_core.transfer.formats.claude import ClaudeReader
from atmem_core.transfer.formats.contract import FormatReader, Wish
from atmem_core.transfer.formats.langgraph_store import LangGraphStoreReader
from atmem_core.transfer.formats.locomo import LocomoReader
from atmem_core.transfer.formats.mem0 import Mem0Reader
from atmem_core.transfer.formats.plain import PlainReader

READERS: Mapping[ImportFormat, Callable[[Wish], FormatReader]] = {
    ImportFormat.JSONL: PlainReader,
    ImportFormat.CHATGPT: ChatGptReader,
    ImportFormat.CLAUDE: ClaudeReader,
    ImportFormat.LOCOMO: LocomoReader,
    ImportFormat.MEM0: Mem0Reader,
    ImportFormat.LANGGRAPH_STORE: LangGraphStoreReader,
}
