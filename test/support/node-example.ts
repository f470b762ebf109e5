// A node memory as the document of its format shows it.

/** The data structure of Dify's document, to the letter. */
export const nodeExample = `{
  "version": 1,
  "messages": [
    {
      "message_id": "msg-001",
      "parent_message_id": null,
      "role": "user",
      "content": "Analyze this image",
      "files": [
        {
          "type": "image",
          "transfer_method": "local_file",
          "upload_file_id": "file-uuid-123",
          "belongs_to": "user"
        }
      ],
      "token_count": 15,
      "created_at": "2026-01-07T10:00:00Z"
    },
    {
      "message_id": "msg-002",
      "parent_message_id": "msg-001",
      "role": "assistant",
      "content": "This is a landscape image...",
      "files": [],
      "token_count": 50,
      "created_at": "2026-01-07T10:00:01Z"
    }
  ]
}`;
